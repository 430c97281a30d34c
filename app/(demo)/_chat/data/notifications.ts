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

/** Shows one notification for a mention or direct message of a channel that is not muted. */
export function notify(post: Post, channel: Channel, senderName: string, open: () => void): void {
  if (notificationChoice() !== "on" || channel.is_muted) return;
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
