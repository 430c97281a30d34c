import type { KeptLook } from "../../_ui/kept-look.ts";

const MOST_CHARACTERS = 60_000;
/** Attributes that name, move or announce something in the page, and would do so twice in a copy. */
const LEFT_OUT = ["id", "for", "name", "tabindex", "data-post", "data-row", "aria-live"];
const NOT_KEPT =
  "textarea, input, video, audio, iframe, script, style, [role=toolbar], [role=menu], [data-presence]";

/** Returns the end of the channel as it is on the screen, or null if the end is not shown. */
export function shownLook(): KeptLook | null {
  const timeline = document.querySelector<HTMLElement>("[data-timeline]");
  const log = timeline?.querySelector<HTMLElement>("[role=log]");
  const channelId = timeline?.dataset.timeline;
  if (!log || !channelId || log.scrollHeight - log.scrollTop - log.clientHeight > 1) return null;
  const view = log.getBoundingClientRect();
  const rows = [...log.querySelectorAll<HTMLElement>("[data-row]")].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > view.top && top < view.bottom;
  });
  const last = rows.at(-1);
  if (!last || last.querySelector("textarea")) return null;
  const html = rows.map((row) => markupOf(row)).join("");
  const below = Math.max(0, view.bottom - last.getBoundingClientRect().bottom);
  if (html.length > MOST_CHARACTERS) return null;
  return {
    ...{ channelId, html: `${html}<div style="flex:none;height:${below}px"></div>`, width: innerWidth },
    ...{ left: view.left, right: innerWidth - view.left - log.clientWidth },
    ...{ top: view.top, bottom: innerHeight - view.bottom },
  };
}

function markupOf(row: HTMLElement): string {
  const copy = row.cloneNode(true) as HTMLElement;
  for (const element of copy.querySelectorAll(NOT_KEPT)) element.remove();
  for (const element of [copy, ...copy.querySelectorAll("*")])
    for (const name of LEFT_OUT) element.removeAttribute(name);
  copy.style.flex = "none";
  return copy.outerHTML;
}
