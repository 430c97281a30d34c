import type { NotifyLevel } from "../../contract/examples.ts";
import { changeNotifyProps, readOwnMembership, viewChannel } from "../../mattermost/channels.ts";
import { notFoundIfForbidden } from "../../mattermost/exchange.ts";
import { listPreferences, type Preference } from "../../mattermost/preferences.ts";
import { rememberOpened } from "../bootstrap-notes/opened-channels.ts";
import type { CallerContext } from "../caller/caller-context.ts";

/**
 * Mutes a channel (except for mentions) or unmutes it, and sets its notifications. Absent fields stay as they
 * are. Makes one Mattermost call.
 * @throws CodedError `not_found`, `forbidden`
 */
export function setAttention(
  { caller }: CallerContext,
  channelId: string,
  { mute, notifyLevel }: { mute?: boolean | undefined; notifyLevel?: NotifyLevel | undefined },
): Promise<void> {
  return changeNotifyProps(caller, channelId, {
    ...(mute !== undefined && { mark_unread: mute ? "mention" : "all" }),
    ...(notifyLevel !== undefined && { desktop: notifyLevel }),
  });
}

/**
 * Marks a channel read, and its threads unless they are counted separately. @throws CodedError `not_found` if the
 * caller is not a member
 */
export async function markViewed(context: CallerContext, channelId: string): Promise<void> {
  const { caller } = context;
  const isCollapsed = await collapsesThreads(context);
  // Mattermost answers "OK" even for other users' channels, and newer versions do so for channels that do not
  // exist.
  const [member] = await notFoundIfForbidden(
    Promise.all([readOwnMembership(caller, channelId), viewChannel(caller, channelId, isCollapsed)]),
    "app.channel.update_last_viewed_at.app_error",
  );
  await rememberOpened(context, member);
}

/**
 * Returns whether replies are counted separately from their channel for the caller ("collapsed threads").
 * Mattermost decides, or leaves the choice to users. Their choice is cached briefly; `readChoices` returns
 * the caller's current preferences, for answers that report them.
 * @throws CodedError
 */
export async function collapsesThreads(
  context: CallerContext,
  readChoices?: () => Promise<readonly Preference[]>,
): Promise<boolean> {
  const { caller, chat, patHash } = context;
  const { isOn, isUsersChoice } = await chat.threadsSetting();
  if (!isUsersChoice) return isOn;
  const known = readChoices ? undefined : chat.caches.collapsesThreads.get(patHash);
  if (known !== undefined) return known ?? isOn;
  const choice = (await (readChoices?.() ?? listPreferences(caller))).find(
    ({ category, name }) => category === "display_settings" && name === "collapsed_reply_threads",
  );
  const isWanted = choice === undefined ? null : choice.value === "on";
  chat.caches.collapsesThreads.set(patHash, isWanted);
  return isWanted ?? isOn;
}
