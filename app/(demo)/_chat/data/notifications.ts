import { emojify } from "../emoji/emojify.ts";
import type { Channel, Post } from "./model.ts";

const KEY = "hivegate.notifications";
const SHOWN_CHARACTERS = 140;

export type NotificationChoice = "off" | "on" | "denied";

export function notificationChoice(): NotificationChoice {
  if (typeof Notification === "undefined") return "denied";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

/** Asks the browser, at the user's own request. */
export async function turnOnNotifications(): Promise<NotificationChoice> {
  if (typeof Notification === "undefined") return "denied";
  if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "on");
  return notificationChoice();
}

/** Ends them on this device, without the browser's permission being given back. */
export function turnOffNotifications(): void {
  localStorage.removeItem(KEY);
}

/**
 * Returns whether the reader wants to hear of a message: of mentions and direct messages where the channel's level says
 * nothing else, and of nothing in a muted channel.
 */
export function isWanted(
  { is_muted, notify_level }: Pick<Channel, "is_muted" | "notify_level">,
  isMention: boolean,
): boolean {
  if (is_muted || notify_level === "none") return false;
  return isMention || notify_level === "all";
}

/** Shows one notification of a message that is wanted. */
export function notify(
  post: Post,
  channel: Channel,
  senderName: string,
  isMention: boolean,
  open: () => void,
): void {
  if (notificationChoice() !== "on" || !isWanted(channel, isMention)) return;
  const title = channel.type === "D" ? senderName : `${senderName} · ${channel.display_name}`;
  const notification = new Notification(title, {
    body: emojify(post.message).slice(0, SHOWN_CHARACTERS),
    tag: channel.id,
  });
  notification.onclick = () => {
    window.focus();
    notification.close();
    open();
  };
}
