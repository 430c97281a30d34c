/** The product's colours in its light theme, by the names of their CSS variables. */
export const lightColours = {
  canvas: "#f6f4ee",
  surface: "#fffdf8",
  raised: "#ffffff",
  sunken: "#ece8dd",
  line: "#ddd7c8",
  "line-strong": "#8d8674",
  ink: "#1d1b16",
  "ink-soft": "#565043",
  "ink-faint": "#6d6656",
  accent: "#f2b233",
  "accent-hover": "#e3a11d",
  "accent-ink": "#241a00",
  danger: "#b3261e",
  "danger-ink": "#ffffff",
  "danger-wash": "#fbe4e1",
  warn: "#9a3d00",
  "warn-wash": "#fdeadb",
  good: "#1f6b3a",
  "good-wash": "#e0f2e5",
  selected: "#e6dfcd",
  link: "#1d5a9e",
  ring: "#1f62c4",
  "code-keyword": "#6f2a8c",
  "code-name": "#1f4f8f",
  "code-string": "#1b5e33",
  "code-number": "#7d4a00",
  "code-comment": "#5f5848",
} as const;

/** The name of a colour. */
export type Colour = keyof typeof lightColours;
/** The colours of a theme. */
export type Colours = Readonly<Record<Colour, string>>;

/** The product's colours in its dark theme. */
export const darkColours = {
  canvas: "#14130f",
  surface: "#1b1a15",
  raised: "#24221b",
  sunken: "#100f0c",
  line: "#35322a",
  "line-strong": "#7b7565",
  ink: "#f3efe4",
  "ink-soft": "#c3bcab",
  "ink-faint": "#a39b88",
  accent: "#f2b233",
  "accent-hover": "#ffc655",
  "accent-ink": "#241a00",
  danger: "#f28b82",
  "danger-ink": "#2b0906",
  "danger-wash": "#43201c",
  warn: "#ffb27a",
  "warn-wash": "#40260f",
  good: "#83d29d",
  "good-wash": "#173423",
  selected: "#332f24",
  link: "#8fc0f5",
  ring: "#78b0f2",
  "code-keyword": "#d7aef2",
  "code-name": "#9cc7f5",
  "code-string": "#83d29d",
  "code-number": "#f7c25a",
  "code-comment": "#a39b88",
} as const satisfies Colours;

/** Returns CSS that declares variables with some colours of a theme. */
export function declareColours(theme: Colours, names: readonly Colour[]): string {
  return names.map((name) => `--${name}:${theme[name]}`).join(";");
}
