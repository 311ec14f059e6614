/* What the API is asked, by which token, and what is made of its answers. */

import { Api, ApiError } from "/static/studio/api.js";
import { needed } from "/static/studio/edit-requests.js";
import { holds, same, test } from "./runner.js";
import { json, refusal } from "./service.js";

/** What the API asks of the network. It answers with `responses` in turn, and repeats the last of them. */
async function asking(act, ...responses) {
  const real = fetch;
  const calls = [];
  globalThis.fetch = async (url, options) => {
    calls.push({ url, ...options });
    const next = responses.length > 1 ? responses.shift() : responses[0];
    if (next instanceof Error) throw next;
    return next;
  };
  const api = new Api({ base: "/api", tokenUrl: "/session", person: "me" });
  const result = await act(api).catch((error) => error);
  globalThis.fetch = real;
  return { calls, result };
}
const tokens = () => [json({ person: "me", csrfToken: "c" }), json({ token: "t" })];

test("the API is asked by its token alone, and can be stopped; the session only for its token", async () => {
  const { signal } = new AbortController();
  const options = { signal, keepalive: true, version: 3 };
  const { calls } = await asking((api) => api.call("PATCH", "/x", options), ...tokens(), json({}));
  same(
    calls.map(({ url, credentials, redirect }) => [url, credentials, redirect]),
    [
      ["/session", "same-origin", "manual"],
      ["/session", "same-origin", "manual"],
      ["/api/x", "omit", undefined],
    ],
  );
  same(
    [calls[2].signal === signal, calls[2].keepalive, calls[2].headers],
    [true, true, { Authorization: "Bearer t", "If-Match": '"3"' }],
  );
});

test("a session that is over is said to be so, however the service says it", async () => {
  for (const answer of [refusal(401), refusal(403), { type: "opaqueredirect", status: 0, headers: new Headers() }]) {
    const { result } = await asking((api) => api.call("GET", "/x"), answer);
    same([result.status, result.message], [401, "You are signed out."]);
  }
});

test("a request that was stopped is not told as a lost connection", async () => {
  const stopped = await asking((api) => api.call("GET", "/x"), ...tokens(), new DOMException("", "AbortError"));
  same(stopped.result.name, "AbortError");
  const lost = await asking((api) => api.call("GET", "/x"), ...tokens(), new TypeError("Failed"));
  same([lost.result.name, lost.result.status], ["Error", 0]);
});

test("a token is asked for once for all calls, and another one only when it ran out", async () => {
  const other = [json({ person: "me", csrfToken: "d" }), json({ token: "u" })];
  const several = async (api) => {
    await Promise.all([api.call("GET", "/1"), api.call("GET", "/2")]);
    return api.call("GET", "/3");
  };
  const { calls, result } = await asking(several, ...tokens(), json({}), json({}), refusal(401), ...other, json(3));
  same(
    calls.map(({ method, url, headers }) => [method, url, headers.Authorization ?? headers["X-CSRFToken"] ?? ""]),
    [
      ["GET", "/session", ""],
      ["POST", "/session", "c"],
      ["GET", "/api/1", "Bearer t"],
      ["GET", "/api/2", "Bearer t"],
      ["GET", "/api/3", "Bearer t"],
      ["GET", "/session", ""],
      ["POST", "/session", "d"],
      ["GET", "/api/3", "Bearer u"],
    ],
  );
  same(result.data, 3);
});

test("a token that is refused twice is not asked for a third time", async () => {
  const session = [json({ person: "me", csrfToken: "d" }), json({ token: "u" })];
  const { calls, result } = await asking(
    (api) => api.call("GET", "/x"),
    ...tokens(),
    refusal(401),
    ...session,
    refusal(401),
  );
  same([calls.length, result.status], [6, 401]);
});

test("what is sent as JSON is said to be JSON, and a file goes as it is", async () => {
  const file = new Blob(["x"]);
  const both = async (api) => {
    const { data, revision } = await api.call("POST", "/x", {
      body: { a: 1 },
      headers: { "Idempotency-Key": "k" },
    });
    await api.call("PATCH", "http://x.test/up", { raw: file });
    return { data, revision };
  };
  const { calls, result } = await asking(both, ...tokens(), json({ b: 2 }, 201, { "Draft-Revision": "7" }), json({}));
  same(result, { data: { b: 2 }, revision: 7 });
  same(
    calls.slice(2).map(({ method, url, headers }) => [method, url, headers]),
    [
      ["POST", "/api/x", { "Idempotency-Key": "k", Authorization: "Bearer t", "Content-Type": "application/json" }],
      ["PATCH", "http://x.test/up", { Authorization: "Bearer t" }],
    ],
  );
  same([calls[2].body, calls[3].body === file], ['{"a":1}', true]);
});

test("a refusal says what the service said, and an answer that is no JSON what its status is", async () => {
  const page = (status) => new Response("<h1>Busy</h1>", { status, headers: { "Content-Type": "text/html" } });
  const cut = new Response('{"error": "Half', { status: 500, headers: { "Content-Type": "application/json" } });
  const faults = [{ path: "text", message: "Too long." }];
  for (const [answer, ...wanted] of [
    [refusal(409, faults, { "Retry-After": "3" }), 409, "Refused 409.", faults, 3],
    [page(502), 502, "The service answered 502.", []],
    [cut, 500, "The service answered 500.", []],
    [new TypeError("Failed"), 0, "The service cannot be reached.", []],
    [refusal(503, [], { "Retry-After": "0" }), 503, "Refused 503.", []],
  ]) {
    const { result } = await asking((api) => api.call("GET", "/x"), ...tokens(), answer);
    same([result.status, result.message, result.details, result.retryAfter], [...wanted, ...Array(4 - wanted.length)]);
  }
  const { result } = await asking((api) => api.call("GET", "/x"), page(200));
  holds(result instanceof ApiError, result);
});

test("a part of the editor that does not come is as a lost connection", async () => {
  const error = await needed({ get: () => Promise.reject(new TypeError("no part")) }).catch((thrown) => thrown);
  same([error instanceof ApiError, error.status], [true, 0]);
});
