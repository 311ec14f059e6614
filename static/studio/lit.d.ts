/** What listeners in templates get; each names the part of it that it uses. */
type Happening = PointerEvent &
  KeyboardEvent &
  DragEvent & { target: HTMLInputElement; currentTarget: HTMLInputElement };
type Listener = (event: Happening) => unknown;

export type Template = { strings: TemplateStringsArray };
export type Content =
  | string
  | number
  | boolean
  | null
  | undefined
  | typeof nothing
  | URLSearchParams
  | Template
  | Content[];

export const nothing: { toString(): string };
export function html(strings: TemplateStringsArray, ...values: (Content | Listener | undefined)[]): Template;
export function render(content: Content, place: HTMLElement): void;
