import { afterAll } from "vitest";
import { type ChatWorld, type Person, startChatWorld } from "./start-chat-world.ts";

/** Opens a world with these people for a whole file. It closes after the file's last test. */
export async function openChatWorld<Name extends string>(
  ...names: Name[]
): Promise<{ world: ChatWorld } & Record<Name, Person & { channelId: string }>> {
  const world = await startChatWorld();
  afterAll(() => world.close());
  const people = {} as Record<Name, Person & { channelId: string }>;
  for (const name of names) people[name] = await world.login(name);
  return { world, ...people };
}
