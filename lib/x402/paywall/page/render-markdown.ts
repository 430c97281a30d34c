const inline = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*(\S(?:.*?\S)?)\*|\[([^\]]*)\]\((https?:\/\/[^\s)]+)\)/;
const fence = /^`{3}/;

/** A kind of block: how its lines begin, and the elements that they become. */
type Kind = { begins: RegExp; render: (lines: readonly string[]) => HTMLElement[] };

const kinds: readonly Kind[] = [
  { begins: /^#{1,6} /, render: (lines) => lines.map(renderHeading) },
  {
    begins: /^> ?/,
    render: (lines) => [
      createElement("blockquote", ...renderBlocks(lines.map((line) => line.replace(/^> ?/, "")))),
    ],
  },
  { begins: /^[-*+] /, render: (lines) => [renderList("ul", lines, /^../)] },
  { begins: /^\d+[.)] /, render: (lines) => [renderList("ol", lines, /^\d+[.)] /)] },
  { begins: /^(-{3,}|\*{3,})$/, render: () => [createElement("hr")] },
];

/**
 * Renders Markdown as elements. Unsupported syntax remains text, and only web addresses become links, so that bought
 * content cannot run code here.
 */
export function renderMarkdown(text: string): HTMLElement {
  return createElement("div", ...renderBlocks(text.split(/\r?\n/)));
}

function renderBlocks(lines: readonly string[]): HTMLElement[] {
  const rendered: HTMLElement[] = [];
  const lineAt = (at: number) => lines[at] ?? "";
  const isPlain = (line: string) => line.trim() !== "" && !kindOf(line);
  for (let at = 0; at < lines.length; ) {
    const start = at;
    const kind = kindOf(lineAt(at));
    if (lineAt(at).trim() === "") at++;
    else if (fence.test(lineAt(at))) {
      do at++;
      while (at < lines.length && !fence.test(lineAt(at)));
      rendered.push(createElement("pre", lines.slice(start + 1, at++).join("\n")));
    } else if (kind) {
      while (at < lines.length && kindOf(lineAt(at)) === kind) at++;
      rendered.push(...kind.render(lines.slice(start, at)));
    } else {
      do at++;
      while (at < lines.length && isPlain(lineAt(at)));
      rendered.push(createElement("p", ...renderInline(lines.slice(start, at).join(" "))));
    }
  }
  return rendered;
}

const kindOf = (line: string): Kind | undefined => kinds.find(({ begins }) => begins.test(line));

function renderHeading(line: string): HTMLElement {
  return createElement(/^##? /.test(line) ? "h2" : "h3", ...renderInline(line.replace(/^#+ +/, "")));
}

function renderList(name: "ul" | "ol", lines: readonly string[], marker: RegExp): HTMLElement {
  const items = lines.map((line) => createElement("li", ...renderInline(line.replace(marker, ""))));
  return createElement(name, ...items);
}

function renderInline(text: string): Array<string | HTMLElement> {
  const match = inline.exec(text);
  if (!match) return text === "" ? [] : [text];
  const [whole] = match;
  const after = text.slice(match.index + whole.length);
  return [text.slice(0, match.index), renderSpan(match), ...renderInline(after)];
}

function renderSpan([, , code, strong, em, label = "", address = ""]: RegExpExecArray): HTMLElement {
  if (code !== undefined) return createElement("code", code);
  if (strong !== undefined) return createElement("strong", ...renderInline(strong));
  if (em !== undefined) return createElement("em", ...renderInline(em));
  return Object.assign(createElement("a", label), { href: address, rel: "noreferrer noopener" });
}

function createElement(name: string, ...parts: Array<string | Node>): HTMLElement {
  const element = document.createElement(name);
  element.append(...parts);
  return element;
}
