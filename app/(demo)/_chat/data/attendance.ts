import type { Post } from "./model.ts";

/** The action of each kind of post, and the key of its props that holds the person's name. */
const kinds = {
  system_join_channel: ["joined", "username"],
  system_join_team: ["joined", "username"],
  system_leave_channel: ["left", "username"],
  system_leave_team: ["left", "username"],
  system_add_to_channel: ["added", "addedUsername"],
  system_add_to_team: ["added", "addedUsername"],
  system_remove_from_channel: ["removed", "removedUsername"],
  system_remove_from_team: ["removed", "username"],
} as const;
type Kind = keyof typeof kinds;

export type Act = (typeof kinds)[Kind][0];

const kindOf = ({ type }: Post): Kind | undefined =>
  Object.hasOwn(kinds, type) ? (type as Kind) : undefined;

function nameIn(post: Post, kind: Kind): string | undefined {
  const name = post.props?.[kinds[kind][1]];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Returns whether a post is Mattermost's notice that a named person joined or left. */
export function isAttendance(post: Post): boolean {
  const kind = kindOf(post);
  return kind !== undefined && post.deleteAt === 0 && nameIn(post, kind) !== undefined;
}

/** Groups names by action, each name once per action, in order of appearance. */
export function summarizeAttendance(posts: readonly Post[]): Array<{ act: Act; names: string[] }> {
  const acts = new Map<Act, Set<string>>();
  for (const post of posts) {
    const kind = kindOf(post);
    const name = kind && nameIn(post, kind);
    if (!kind || !name) continue;
    const [act] = kinds[kind];
    acts.set(act, (acts.get(act) ?? new Set()).add(name));
  }
  return [...acts].map(([act, names]) => ({ act, names: [...names] }));
}
