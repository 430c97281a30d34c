import { strings } from "../strings.en.ts";
import type { Channel } from "./model.ts";

/** How a channel is called in lists and titles: a conversation by the other's name. */
export function channelName(
  channel: Pick<Channel, "type" | "display_name"> & Partial<Channel>,
  myId: string,
) {
  if (channel.type !== "D") return channel.display_name;
  const name = channel.directUser?.username ?? channel.display_name.replace(/^@/, "");
  if (channel.directUser?.id === myId) return strings.sidebar.self(name);
  return name === "" ? strings.sidebar.unknownPerson : name;
}
