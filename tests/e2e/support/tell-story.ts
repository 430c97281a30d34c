import { direct, seedMessages } from "../../../sandbox/mattermost/seed-messages.ts";
import { type ApiPerson, createApiPerson } from "./api-person.ts";

const people = ["alice", "bob", "carol", "erin"];

/** Replays the sandbox's opening conversation on another Mattermost. */
export async function tellStory(url: string): Promise<void> {
  const persons = new Map<string, ApiPerson>();
  for (const name of people) persons.set(name, await createApiPerson(url, name));
  const need = (name: string) => {
    const person = persons.get(name);
    if (!person) throw new Error(`${name} is not in the story`);
    return person;
  };
  const roots = new Map<string, string>();
  for (const { channel, author, text, key, replyTo, reactions = [], seenBy = [] } of seedMessages) {
    const channelId = await find(need("alice"), channel);
    const rootId = replyTo && roots.get(replyTo);
    const { post } = await need(author).chat("POST", `/channels/${channelId}/posts`, {
      message: text,
      rootId,
    });
    if (key) roots.set(key, post.id);
    for (const [name, emoji] of reactions) {
      const path = `/channels/${channelId}/posts/${post.id}/reactions`;
      await need(name).chat("POST", path, { emoji, add: true });
    }
    for (const name of seenBy) await need(name).chat("POST", `/channels/${channelId}/view`, {});
  }
}

async function find(alice: ApiPerson, name: string): Promise<string> {
  if (name === direct) return (await alice.chat("POST", "/direct", { username: "bob" })).channelId;
  const { channels } = await alice.chat("GET", "/channels");
  const found = channels.find((channel: { name: string }) => channel.name === name);
  if (!found) throw new Error(`alice has no channel ${name}`);
  return found.id;
}
