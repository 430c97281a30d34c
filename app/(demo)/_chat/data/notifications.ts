import { keepText, readText } from "../../_ui/kept-text.ts";
import { emojify } from "../emoji/emojify.ts";
import { saidIn } from "./channel-news.ts";
import type { Channel, Post } from "./model.ts";

const KEY = "hivegate.notifications";
const SHOWN_CHARACTERS = 140;

/** `missing` means that the browser has no notifications, as on an iPhone outside the installed app. */
export type NotificationChoice = "off" | "on" | "denied" | "missing";

export function notificationChoice(): NotificationChoice {
  if (typeof Notification === "undefined") return "missing";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && readText(KEY) === "on" ? "on" : "off";
}

/** Asks the browser for permission, at the user's request. */
export async function turnOnNotifications(): Promise<NotificationChoice> {
  if (typeof Notification === "undefined") return "missing";
  if ((await Notification.requestPermission()) === "granted") keepText(KEY, "on");
  return notificationChoice();
}

/** Turns notifications off on this device; the browser's permission stays. */
export function turnOffNotifications(): void {
  keepText(KEY, null);
}

/**
 * Returns whether a message notifies the reader: mentions and direct messages do unless the channel's level
 * says otherwise, and no message in a muted channel does.
 */
export function isWanted(
  { isMuted, notifyLevel }: Pick<Channel, "isMuted" | "notifyLevel">,
  isMention: boolean,
): boolean {
  if (isMuted || notifyLevel === "none") return false;
  return isMention || notifyLevel === "all";
}

/** Shows one notification of a message; pressing it calls `open` with its path. */
export async function notify(
  post: Post,
  channel: Channel,
  senderName: string,
  isMention: boolean,
  open: (path: string) => void,
): Promise<void> {
  if (notificationChoice() !== "on" || !isWanted(channel, isMention)) return;
  const title = channel.type === "D" ? senderName : `${senderName} · ${channel.displayName}`;
  const path = `/chat/${channel.id}?post=${post.id}`;
  const options = { body: emojify(saidIn(post)).slice(0, SHOWN_CHARACTERS), tag: channel.id };
  try {
    const worker = await findWorker();
    if (worker) await worker.showNotification(title, { ...options, data: path });
    else showFromPage(title, options, () => open(path));
  } catch {
    // Mobile browsers show no notification without a worker.
  }
}

/** Returns the worker that shows notifications and handles clicks on them. */
async function findWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  return registration?.active ? registration : undefined;
}

function showFromPage(title: string, options: NotificationOptions, open: () => void): void {
  const notification = new Notification(title, options);
  notification.onclick = () => {
    window.focus();
    notification.close();
    open();
  };
}
