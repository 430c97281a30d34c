import { expect } from "playwright/test";
import { type ApiPerson, createApiPerson, readSandbox } from "./api-person.ts";

export type Room = { id: string; name: string; title: string; people: Map<string, ApiPerson> };

/**
 * People who were in an earlier room, by team and name: signing in again for each room took a twentieth of
 * the suite's time.
 */
const known = new Map<string, ApiPerson>();

async function personOf(url: string, teamId: string, name: string): Promise<ApiPerson> {
  const key = `${url} ${teamId} ${name}`;
  const before = known.get(key);
  // Only an account's most recent tokens stay valid, and other tests sign in too.
  const isAccepted = await before?.mattermost("GET", "/users/me").then(
    () => true,
    () => false,
  );
  const person = before && isAccepted ? before : await createApiPerson(url, name);
  known.set(key, person);
  return person;
}

let made = 0;

/**
 * Creates a channel for a single test, public by default, with these people as members who have opened it. A
 * number makes its title unique.
 */
export async function createRoom(
  url: string,
  label: string,
  names: readonly string[],
  type: "O" | "P" = "O",
): Promise<Room> {
  const sandbox = await readSandbox(url);
  const teamId = sandbox.chat?.teamId;
  if (!teamId) throw new Error("a room needs a team");
  const people = new Map<string, ApiPerson>();
  for (const name of names) people.set(name, await personOf(url, teamId, name));
  const [owner, ...others] = [...people.values()];
  if (!owner) throw new Error("a room needs somebody");
  made += 1;
  const number = `${Date.now()}${made}`;
  const name = `room${number}`;
  const title = `${label} ${number.slice(-6)}`;
  const { id } = await owner.mattermost("POST", "/channels", {
    team_id: teamId,
    name,
    display_name: title,
    type,
  });
  for (const { userId, mattermost } of others) {
    await owner.mattermost("POST", `/channels/${id}/members`, { user_id: userId });
    // A real server answers before it has notified the members, which counts as a mention.
    const mentions = async () => (await mattermost("GET", `/channels/${id}/members/me`)).mention_count;
    await expect.poll(mentions, { message: "the added person is notified" }).toBe(1);
  }
  // In a channel that was never opened, no message counts as new.
  for (const person of people.values()) await person.chat("POST", `/channels/${id}/view`, {});
  return { id, name, title, people };
}

/** Writes a message in a room as one of its members, and resolves to the post. */
export async function say(room: Room, name: string, message: string, rootId?: string) {
  const person = room.people.get(name);
  if (!person) throw new Error(`${name} is not in the room`);
  const { post } = await person.chat("POST", `/channels/${room.id}/posts`, { message, rootId });
  return post as { id: string; message: string; create_at: number };
}
