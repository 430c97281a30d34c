import { PassThrough } from "node:stream";
import { createElement } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { expect, test } from "vitest";
import { loadPart } from "#app/(demo)/_ui/load-part.tsx";
import { readText } from "#lib/async/read-body.ts";

const LONGEST = 10_000;

function show(Part: ReturnType<typeof loadPart>): Promise<string | null> {
  const page = new PassThrough();
  const { pipe } = renderToPipeableStream(createElement(Part), { onAllReady: () => void pipe(page) });
  return readText(page, LONGEST);
}

test("a part of the page that failed to load is requested again when it is shown again", async () => {
  let isAway = true;
  const Part = loadPart(async () => {
    if (isAway) throw new Error("the network is away");
    return () => "here";
  });
  expect(await show(Part)).not.toContain("here");
  isAway = false;
  expect(await show(Part)).toContain("here");
});
