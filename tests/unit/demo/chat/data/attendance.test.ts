import { describe, expect, it } from "vitest";
import { summarizeAttendance } from "#app/(demo)/_chat/data/attendance.ts";
import type { Post } from "#app/(demo)/_chat/data/model.ts";
import { foldAttendance, openingOf, rowsOf } from "#app/(demo)/_chat/timeline/rows.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

let made = 0;
const post = (change: Partial<Post>) => {
  made += 1;
  return samplePost(`post${made}`, { createAt: made * 1000, ...change });
};
const joined = (username: string) => post({ type: "system_join_channel", props: { username } });
const added = (addedUsername: string) => post({ type: "system_add_to_channel", props: { addedUsername } });
const reader = { myId: "me", lastViewedAt: null, isStart: true };

describe("folding joins and leaves", () => {
  it("merges consecutive joins and leaves into one row, and separates rows at messages", () => {
    const [a, b, words, c] = [joined("alice"), joined("bob"), post({ message: "hi" }), joined("carol")];
    const rows = foldAttendance(rowsOf([a, b, words, c], [], reader));
    expect(rows.map((row) => (row.kind === "fold" ? row.posts : row.kind))).toEqual([[a, b], "post", [c]]);
    expect(rows[0]?.key).toBe(a.id);
  });

  it("does not merge rows across the line above new messages", () => {
    const [a, b] = [joined("alice"), joined("bob")];
    const rows = foldAttendance(rowsOf([a, b], [], { ...reader, lastViewedAt: a.createAt }));
    expect(rows.map((row) => row.kind === "fold" && row.isFirstNew)).toEqual([false, true]);
  });

  it("finds the row by a link to a later event in it", () => {
    const [a, b] = [joined("alice"), joined("bob")];
    const rows = foldAttendance(rowsOf([a, b], [], reader));
    expect(openingOf(rows, { anchor: b, startsAtEnd: false })).toEqual({ key: a.id, align: "center" });
  });

  it("leaves events of other kinds, or without a name, as the server words them", () => {
    const renamed = post({ type: "system_displayname_change", props: { username: "alice" } });
    const nameless = post({ type: "system_join_channel", props: {} });
    const rows = foldAttendance(rowsOf([renamed, nameless], [], reader));
    expect(rows.map(({ kind }) => kind)).toEqual(["post", "post"]);
  });

  it("groups names by action, without duplicates", () => {
    expect(summarizeAttendance([joined("alice"), added("bob"), joined("carol"), joined("alice")])).toEqual([
      { act: "joined", names: ["alice", "carol"] },
      { act: "added", names: ["bob"] },
    ]);
  });
});
