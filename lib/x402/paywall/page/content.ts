import { texts } from "./data.ts";
import { byId } from "./elements.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { readStored, store } from "./stored.ts";

/** Maximum length to store; longer texts, such as books, are not stored. */
const MAX_STORED_CHARACTERS = 262_144;

const key = () => `x402-content:${location.pathname}${location.search}`;
const typeOf = ({ headers }: Response) => headers.get("content-type") ?? "";

/** Stores bought content, if it is text, so that this browser shows it again without a payment. */
export async function storeContent(response: Response): Promise<void> {
  const type = typeOf(response);
  if (!/json|^text\//.test(type)) return;
  const text = await response.text();
  if (text.length <= MAX_STORED_CHARACTERS) store(key(), { type, text });
}

/** Returns the content bought on an earlier visit. @throws SyntaxError if it cannot be read */
export function readStoredContent(): Response | null {
  const stored = JSON.parse(readStored(key()) ?? "null") as { type: string; text: string } | null;
  return stored && new Response(stored.text, { headers: { "content-type": stored.type } });
}

/** Shows bought content in place of the offer. */
export async function showContent(response: Response): Promise<void> {
  const content = byId("content");
  content.replaceChildren(...(await render(response)));
  content.hidden = false;
  byId("pay").hidden = true;
  byId("again").hidden = true;
  byId("kicker").textContent = texts.content;
  document.title = byId("title").textContent ?? "";
  // The page shows the receipt above the content.
  content.focus({ preventScroll: true });
  scrollTo(0, 0);
}

async function render(response: Response): Promise<HTMLElement[]> {
  const type = typeOf(response);
  if (/json/.test(type)) return renderJson(await response.json());
  if (/^text\/html/.test(type)) return [renderHtml(await response.text())];
  if (/^text\/markdown/.test(type)) return [renderMarkdown(await response.text())];
  if (/^text\//.test(type)) return [withText("pre", await response.text())];
  return renderFile(await response.blob(), type);
}

/** Renders a value with a title and a text as an article, and any other value as JSON. */
function renderJson(value: unknown): HTMLElement[] {
  const { title, body, text, content } = (value ?? {}) as Record<string, unknown>;
  const article = [body, text, content].find((part) => typeof part === "string");
  if (typeof title !== "string" || typeof article !== "string" || article === "")
    return [withText("pre", JSON.stringify(value, null, 2))];
  const heading = title === byId("title").textContent ? [] : [withText("h2", title)];
  return [...heading, renderMarkdown(article)];
}

/** Renders a page without its scripts. */
function renderHtml(html: string): HTMLElement {
  const frame = document.createElement("iframe");
  frame.title = texts.content;
  frame.setAttribute("sandbox", "");
  frame.srcdoc = html;
  return frame;
}

function renderFile(file: Blob, type: string): HTMLElement[] {
  const address = URL.createObjectURL(file);
  const link = withText("a", texts.save) as HTMLAnchorElement;
  link.href = address;
  link.download = location.pathname.split("/").pop() || "content";
  const player = renderMedium(type.split("/")[0] ?? "", address);
  return player ? [player, link] : [link];
}

function renderMedium(kind: string, address: string): HTMLElement | null {
  if (kind === "image")
    return Object.assign(document.createElement("img"), { src: address, alt: texts.content });
  if (kind !== "video" && kind !== "audio") return null;
  return Object.assign(document.createElement(kind), { src: address, controls: true });
}

function withText(name: string, text: string): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: text });
}
