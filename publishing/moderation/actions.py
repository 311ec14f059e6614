"""What happens to a case: reported, taken down or dismissed by staff, appealed by an owner, answered by other staff.

Locks are taken as a publish takes them (`lock`): the workspace, the publication, then the case. So what is going live
at this moment is either seen here, or finds that it was taken down.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actions import workspaces
from accounts.actions.events import Kind, record
from accounts.actors import Actor
from accounts.models import Membership, User, Workspace
from accounts.statements import Reason, Statement
from capsules.models import Story
from capsules.telling import tell
from config.database import only
from config.errors import Conflict, Fault, Forbidden, Invalid
from publishing import slugs
from publishing.actions import publication_of
from publishing.models import Case, HeldSlug, Publication, Report, Slug
from publishing.models.publications import PublicationQuerySet
from publishing.moderation import mail, standing

State = Case.State
RESTS = timedelta(days=30)  # after a dismissal, for those who reported it
APPEALED_ALREADY = gettext_noop("An appeal was sent already. There is one for each decision.")
NOT_BY_THE_SAME = "Another member of staff has to answer this appeal, not the one who decided."
MAY_DECIDE = (("publishing", "change_case"),)
MAY_SUSPEND = (*MAY_DECIDE, ("accounts", "change_workspace"))
NOT_THEIR_OWN = "You belong to this workspace. Another member of staff has to decide this."


# --- Readers ---------------------------------------------------------------------------------------------------


@transaction.atomic
def report(
    publication: Publication,
    *,
    why: str,
    words: str = "",
    email: str = "",
    network: str = "",
    language: str = "",
) -> Case:
    """Takes a reader's report to the capsule's open case, or begins one; the reader gets a receipt.

    Raises Conflict where a report from this network about it was dismissed within the last 30 days.
    """
    root = root_of(publication.story) if publication.story.capsule_id else publication
    case = case_going_on(root)
    if case is None:
        check_not_answered(root, network)
        case = begin_case(root, slug=publication.slug, reason=why)
    told = Report.objects.create(
        case=case, why=why, words=words, email=email, network=network, language=language
    )
    # Without the workspace: its members are told of a decision, not of a suspicion.
    record(Kind.REPORTED, by=None, subject=f"{case.subject} ({case.number})")
    mail.send_receipt(told)
    return case


def root_of(story: Story) -> Publication:
    """The publication that a case is about: a capsule's, also where an edition was met."""
    return publication_of(story.capsule or story)


def case_going_on(root: Publication) -> Case | None:
    """In the caller's transaction, in which nobody else begins another one."""
    lock_case(root.story.workspace_id, root.pk)
    return only(Case.objects.filter(publication=root, state__in=Case.GOING_ON, kind=Case.Kind.CAPSULE))


def begin_case(root: Publication, *, slug: str | None = None, **told: Any) -> Case:
    """`slug`: where it was met, which is an edition's own link where the capsule has none."""
    workspace = root.story.workspace
    subject = f"/{workspace.name}/{root.slug or slug or root.story_id}"
    return Case.objects.create(
        publication=root, workspace=workspace, about=root.story_id, subject=subject, **told
    )


def check_not_answered(publication: Publication, network: str) -> None:
    dismissed = Report.objects.filter(
        case__publication=publication,
        case__state=State.DISMISSED,
        case__ended_at__gt=timezone.now() - RESTS,
        network=network,
    )
    if network and dismissed.exists():
        raise Conflict(
            "A report about this capsule from your network was looked at in the last 30 days, and the capsule was left "
            "as it is."
        )


# --- Staff -----------------------------------------------------------------------------------------------------


def open_by_staff(story: Story, *, by: User) -> Case:
    """The capsule's case; begins one where staff found the capsule themselves."""
    root = root_of(story)
    with transaction.atomic():
        return case_going_on(root) or begin_case(root, found=Case.Found.STAFF, handled_by=by)


@transaction.atomic
def freeze(case: Case, statement: Statement, *, by: User) -> None:
    """Takes the capsule down, with its editions, and tells its owners why. Raises Conflict, Invalid."""
    locked = locked_case(case, State.OPEN, words="Only an open case can end in a freeze.", by=by)
    check_statement(statement)
    root = locked.publication
    if root is None:
        raise Conflict("The capsule of this case was deleted.")
    now = timezone.now()
    locked.state, locked.decided_at, locked.handled_by = State.FROZEN, now, by
    locked.reason, locked.rule = statement.reason, statement.rule
    locked.words = statement.words
    locked.save()
    for edition in Story.objects.filter(capsule=root.story_id, publication=None):
        Publication.objects.create(story=edition)
    concerned = with_editions(root)
    concerned.update(frozen_at=now, frozen_case=locked)
    hold_slugs(locked, concerned)
    record(Kind.FROZEN, by=by, subject=f"{locked.subject} ({locked.number})", workspaces=[locked.workspace])
    standing.carry_out(concerned)
    by_staff = Actor.by_staff(by)
    tell(root.story, "story.frozen", by=by_staff, reason=locked.reason or None, rule=locked.rule)
    mail.send_statement(locked)
    mail.send_outcome(locked)


@transaction.atomic
def dismiss(case: Case, *, words: str = "", by: User) -> None:
    """Leaves the capsule as it is; who reported it hears that. Raises Conflict."""
    locked = locked_case(case, State.OPEN, words="Only an open case can be dismissed.", by=by)
    locked.state, locked.handled_by, locked.words = State.DISMISSED, by, words
    locked.decided_at = locked.ended_at = timezone.now()
    locked.save()
    record(Kind.DISMISSED, by=by, subject=f"{locked.subject} ({locked.number})")
    mail.send_outcome(locked)


@transaction.atomic
def lift(case: Case, *, words: str = "", by: User) -> None:
    """Gives the capsule, or the workspace, back to readers. Raises Conflict."""
    locked = locked_case(case, *Case.IN_FORCE, words="Nothing is taken down by this case.", by=by)
    end_as_lifted(locked, words=words, by=by)
    record(Kind.LIFTED, by=by, subject=f"{locked.subject} ({locked.number})", workspaces=[locked.workspace])
    if locked.kind == Case.Kind.WORKSPACE and locked.workspace is not None:
        workspaces.resume(locked.workspace, by=by)
    else:
        give_back(Publication.objects.filter(frozen_case=locked))
        if locked.publication is not None:
            tell(locked.publication.story, "story.unfrozen", by=Actor.by_staff(by))


def end_as_lifted(case: Case, *, words: str, by: User) -> None:
    """Answers its appeal, and tells owners and who reported."""
    if case.state == State.APPEALED:
        case.answer, case.answered_by = words, by
    case.state, case.ended_at = State.LIFTED, timezone.now()
    case.save(update_fields=["answer", "answered_by", "state", "ended_at"])
    mail.send_lifted(case, words)
    mail.send_outcome(case)
    case.held_slugs.all().delete()


@transaction.atomic
def uphold(case: Case, *, words: str, by: User) -> None:
    """Answers an appeal: it stays down, for good. Raises Conflict, Forbidden, Invalid."""
    locked = locked_case(case, State.APPEALED, words="There is no appeal to answer.", by=by)
    check_statement_words(words)
    locked.state, locked.answer, locked.answered_by = State.UPHELD, words, by
    locked.ended_at = timezone.now()
    locked.save()
    record(Kind.UPHELD, by=by, subject=f"{locked.subject} ({locked.number})", workspaces=[locked.workspace])
    locked.held_slugs.all().delete()
    for publication in Publication.objects.filter(frozen_case=locked, frees_slug=True):
        free_slug(publication)
    mail.send_upheld(locked)


@transaction.atomic
def suspend_workspace(case: Case, statement: Statement, *, by: User) -> None:
    """Takes down the capsule and all else of its workspace, with the same statement. Raises Conflict, Invalid."""
    check_statement(statement)
    workspace = case.workspace
    if workspace is None:
        raise Conflict("The workspace of this case was deleted.")
    freeze(case, statement, by=by)
    workspaces.suspend(workspace, by=by, statement=replace(statement, found=case.found))


def hold_slugs(case: Case, concerned: PublicationQuerySet) -> None:
    """Keeps their addresses until the case has ended, also where the capsule is deleted before."""
    taken = Slug.objects.filter(publication__in=concerned).values_list("text", flat=True)
    HeldSlug.objects.bulk_create((HeldSlug(text=text, case=case) for text in taken), ignore_conflicts=True)


def give_back(frozen: QuerySet[Publication]) -> None:
    rows = list(frozen.values_list("pk", flat=True))
    concerned: PublicationQuerySet = Publication.objects.filter(pk__in=rows)
    concerned.update(frozen_at=None, frozen_case=None)
    for publication in concerned.filter(frees_slug=True):
        free_slug(publication)
    standing.carry_out(concerned)


def free_slug(publication: Publication) -> None:
    """As its author asked while the case went on; not where it was published again since."""
    if not publication.is_published:
        slugs.free_slugs(publication)
        publication.slug = None
    publication.frees_slug = False
    publication.save(update_fields=["slug", "frees_slug"])


# --- Owners ----------------------------------------------------------------------------------------------------


@transaction.atomic
def appeal(case: Case, text: str, *, by: User) -> None:
    """One text by an owner against a decision, within six months. Raises Forbidden, Conflict, Invalid."""
    if not Membership.objects.filter(
        workspace=case.workspace_id, user=by, role=Membership.Role.OWNER
    ).exists():
        raise Forbidden(gettext("Only an owner of the workspace can appeal."))
    locked = Case.objects.select_for_update().get(pk=case.pk)
    if locked.appealed_at is not None:
        raise Conflict(gettext(APPEALED_ALREADY))
    if not locked.is_appealable:
        raise Conflict(gettext("This decision cannot be appealed any more."))
    longest = Case._meta.get_field("appeal").max_length
    if not text.strip():
        raise Invalid(faults=[Fault("appeal", gettext("Please say why the decision is wrong."))])
    if len(text) > (longest or len(text)):
        words = gettext("At most %(most)s characters; this has %(number)s.")
        raise Invalid(faults=[Fault("appeal", words % {"most": longest, "number": len(text)})])
    locked.state, locked.appeal, locked.appealed_at = State.APPEALED, text.strip(), timezone.now()
    locked.save()
    record(Kind.APPEALED, by=by, subject=f"{locked.subject} ({locked.number})", workspaces=[locked.workspace])
    mail.send_appeal_receipt(locked, by)


# --- What is asked before --------------------------------------------------------------------------------------


def lock_case(workspace: uuid.UUID | None, publication: int | None = None) -> None:
    """First the workspace, then the publication of a capsule. Who holds one and writes a row that only names the other,
    as each change does in the log, does not wait (`no_key`), or both might forever.
    """
    if workspace is not None:
        rows = Workspace.objects.select_for_update(no_key=True).filter(pk=workspace)
        list(rows.order_by().values_list("pk"))
    if publication is not None:
        held = Publication.objects.select_for_update(no_key=True).filter(pk=publication)
        list(held.order_by().values_list("pk"))


def locked_case(case: Case, *states: str, words: str, by: User) -> Case:
    """The case, with the rows that it is about. Raises Conflict where it is in no such state: another was quicker; and
    Forbidden where another member of staff has to decide it.
    """
    workspace, publication = case.workspace_id, None
    if case.publication_id is not None:
        root = Publication.objects.filter(pk=case.publication_id).values_list("story__workspace", "pk")
        workspace, publication = only(root) or (workspace, None)
    lock_case(workspace, publication)
    locked = Case.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=case.pk)
    if locked.state not in states:
        raise Conflict(f"{words} This one is {locked.get_state_display()}.")
    check_may_answer(locked, by)
    if locked.publication_id is not None:
        locked.publication = Publication.objects.select_related("story__workspace").get(
            pk=locked.publication_id
        )
    return locked


def with_editions(root: Publication) -> PublicationQuerySet:
    return Publication.objects.filter(Q(pk=root.pk) | Q(story__capsule=root.story_id))


def check_statement(statement: Statement) -> None:
    check_statement_words(statement.words)
    if statement.reason not in Reason.values:
        raise Invalid(faults=[Fault("reason", "Choose a reason.")])


def check_statement_words(words: str) -> None:
    if not words.strip():
        raise Invalid(faults=[Fault("words", "Say why, in words for the owner.")])


def check_may_answer(case: Case, by: User) -> None:
    """Raises Forbidden for its members, and for who decided what is appealed, where somebody else could."""
    others = who_decide(case)
    members = Membership.objects.filter(workspace=case.workspace_id).values("user")
    if members.filter(user=by).exists() and others.exclude(pk__in=members).exists():
        raise Forbidden(NOT_THEIR_OWN)
    if case.state == State.APPEALED and by == case.handled_by and others.exclude(pk=by.pk).exists():
        raise Forbidden(NOT_BY_THE_SAME)


def who_decide(case: Case) -> QuerySet[User]:
    """Staff who may: of a workspace's case those who may also suspend one."""
    found = User.objects.filter(is_staff=True, is_active=True)
    for app, codename in MAY_SUSPEND if case.kind == Case.Kind.WORKSPACE else MAY_DECIDE:
        allowed = Permission.objects.filter(codename=codename, content_type__app_label=app)
        own = Q(user_permissions__in=allowed) | Q(groups__permissions__in=allowed)
        found = found.filter(Q(is_superuser=True) | own)
    return found


# --- Suspensions, which accounts carries out -------------------------------------------------------------------


def begin_suspension(workspace: Workspace, statement: Statement, *, by: User) -> Case:
    """The case of a workspace that was just suspended: what its owners are told, and what they can appeal."""
    case = Case.objects.create(
        kind=Case.Kind.WORKSPACE,
        workspace=workspace,
        subject=f"/{workspace.name}",
        state=State.FROZEN,
        found=statement.found or Case.Found.STAFF,
        reason=statement.reason,
        rule=statement.rule,
        words=statement.words,
        handled_by=by,
        decided_at=timezone.now(),
    )
    mail.send_statement(case)
    return case


def end_suspension(workspace: Workspace, *, words: str, by: User) -> None:
    """Ends the case of a workspace whose suspension was ended without it. Raises Forbidden as `lift` does."""
    for case in Case.objects.in_force().filter(kind=Case.Kind.WORKSPACE, workspace=workspace):
        check_may_answer(case, by)
        end_as_lifted(case, words=words, by=by)
