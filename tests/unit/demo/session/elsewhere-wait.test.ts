import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ElsewhereWait } from "#app/(demo)/_session/elsewhere-wait.tsx";
import type { ElsewhereWay } from "#app/(demo)/_session/way.ts";

const LINK = "hive://sign/buffer/abc";

beforeEach(() => vi.stubGlobal("window", { location: { protocol: "https:" } }));
afterEach(() => vi.unstubAllGlobals());

/** Renders the question as it first appears, on a phone or elsewhere. */
function render(isPhone: boolean, way: ElsewhereWay = "phone", link = LINK): string {
  vi.stubGlobal("matchMedia", () => ({ matches: isPhone }));
  const end = performance.now() + 300_000;
  return renderToStaticMarkup(
    createElement(ElsewhereWait, { way, username: "alice", link, end, onCancel: () => {} }),
  );
}

test.each([
  ["a phone shows the link to the wallet, and folds the code away", true],
  ["a computer shows the code, and folds the link away", false],
])("%s", (_, isPhone) => {
  const [shown = "", folded = ""] = render(isPhone).split("<details>");
  const isLink = (html: string) => html.includes(`href="${LINK}"`);
  const isCode = (html: string) => html.includes('role="img"');
  expect([isLink(shown), isCode(shown)]).toEqual([isPhone, !isPhone]);
  expect([isLink(folded), isCode(folded)]).toEqual([!isPhone, isPhone]);
});

test("the question is a group that its sentence names, with an empty status for what comes later", () => {
  const html = render(true);
  const [, name = ""] = /role="group" aria-labelledby="([^"]+)"/.exec(html) ?? [];
  const [, sentence = ""] = html.split(`id="${name}"`);
  expect(sentence).toMatch(/^[^>]*>[^<]*@alice/);
  expect(html).toContain('<div role="status"></div>');
});

test.each([true, false])("HiveSigner has no code, and opens in a new tab (on a phone: %s)", (isPhone) => {
  const html = render(isPhone, "hivesigner", "https://hivesigner.com/oauth2/authorize?state=s");
  expect(html).toContain('target="_blank" rel="noreferrer noopener"');
  expect(html).not.toContain("<details>");
  expect(html).not.toContain("<svg");
});
