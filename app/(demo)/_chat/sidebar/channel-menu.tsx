"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Bell, BellOff, CheckCheck, Link2, LogOut, Mail, Star, StarOff, Users } from "lucide-react";
import { useRouter } from "next/navigation";
import type { RefObject } from "react";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import type { Opened } from "../../_ui/opener.tsx";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../../_ui/popups.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { copyLink } from "../copy.ts";
import { channelName } from "../data/channels.ts";
import type { Channel } from "../data/model.ts";
import { useChannelFlags, useMembership } from "../data/use-channels.ts";
import { areThreadsApart } from "../data/use-inbox.ts";
import { markLatestUnread, useMarkRead } from "../data/use-view.ts";
import { MessageText } from "../message/message-text.tsx";
import { strings } from "../strings.en.ts";

/**
 * Notification levels, in the order of the menu. In a direct conversation every message counts as a mention.
 */
const levels = ["all", "mention", "none", "default"] as const;

/** Returns a function that leaves a channel, and its page if it is open. */
function useLeave(channel: Channel) {
  const { me } = useChat();
  const router = useRouter();
  const membership = useMembership();
  const leave = async () => {
    await membership.mutateAsync({ channelId: channel.id, act: "leave" });
    toast(strings.toast.left(channelName(channel, me.id)));
    if (window.location.pathname === `/chat/${channel.id}`) router.push("/chat");
  };
  return () => void leave().catch(fail);
}

const fail = () => {
  toast.error(strings.toast.failed);
};

/**
 * The actions of a channel: favourite, mute, read, unread, link, notifications, leave. The menu closes before
 * the answer arrives, so follow-ups are attached to the promise.
 */
export function ChannelMenu({
  channel,
  opened,
  onAsk,
}: {
  channel: Channel;
  opened: Opened;
  /** Called if leaving requires confirmation. */
  onAsk: () => void;
}) {
  const { me } = useChat();
  const flags = useChannelFlags();
  const leave = useLeave(channel);
  const markRead = useMarkRead();
  const cache = useQueryClient();
  const { id: channelId, isFavorite, isMuted, notifyLevel, type, messageCount, mentionCount } = channel;

  return (
    <Menu opened={opened}>
      <MenuItem
        icon={isFavorite ? <StarOff aria-hidden size={16} /> : <Star aria-hidden size={16} />}
        onSelect={() => {
          flags.mutateAsync({ channelId, act: "favorite", value: !isFavorite }).catch(fail);
        }}
      >
        {isFavorite ? strings.channel.unfavorite : strings.channel.favorite}
      </MenuItem>
      <MenuItem
        icon={isMuted ? <Bell aria-hidden size={16} /> : <BellOff aria-hidden size={16} />}
        onSelect={() => {
          flags.mutateAsync({ channelId, act: "mute", value: !isMuted }).catch(fail);
        }}
      >
        {isMuted ? strings.channel.unmute : strings.channel.mute}
      </MenuItem>
      <MenuItem
        icon={<CheckCheck aria-hidden size={16} />}
        onSelect={() => void markRead(channelId).catch(fail)}
      >
        {strings.channel.markRead}
      </MenuItem>
      {messageCount + mentionCount === 0 && (
        <MenuItem
          icon={<Mail aria-hidden size={16} />}
          onSelect={() =>
            void markLatestUnread(channelId, me.id, areThreadsApart(cache) === true).catch(fail)
          }
        >
          {strings.message.markUnread}
        </MenuItem>
      )}
      <MenuItem icon={<Link2 aria-hidden size={16} />} onSelect={() => void copyLink(`/chat/${channelId}`)}>
        {strings.channel.copyLink}
      </MenuItem>
      <MenuSeparator />
      <MenuChoice
        label={strings.channel.notifications}
        value={type === "D" && notifyLevel === "mention" ? "all" : notifyLevel}
        options={levels
          .filter((level) => level !== "mention" || type !== "D")
          .map((level) => [level, strings.channel.notify[level]] as const)}
        onChoose={(value) => {
          flags.mutateAsync({ channelId, act: "notify", value }).catch(fail);
        }}
      />
      <MenuSeparator />
      <MenuItem
        isDanger
        icon={<LogOut aria-hidden size={16} />}
        onSelect={() => (type === "P" ? onAsk() : leave())}
      >
        {type === "D" || type === "G" ? strings.channel.hide : strings.channel.leave}
      </MenuItem>
    </Menu>
  );
}

/**
 * Asks for confirmation before the user leaves a private channel, which they can't rejoin without an
 * invitation.
 */
export function LeaveDialog({
  channel,
  menu,
  onClose,
}: {
  channel: Channel;
  /** The button of the menu that opened the dialog. */
  menu: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const { me } = useChat();
  const leave = useLeave(channel);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={strings.channel.leaveTitle(channelName(channel, me.id))}
      description={strings.channel.leaveText}
      returnFocus={menu}
    >
      <div className="flex justify-end gap-3">
        <Button onClick={onClose}>{strings.message.cancel}</Button>
        <Button
          tone="danger"
          onClick={() => {
            onClose();
            leave();
          }}
        >
          {strings.channel.leave}
        </Button>
      </div>
    </Dialog>
  );
}

type AboutDialogProps = {
  name: string;
  purpose: string;
  header: string;
  memberCount: number | undefined;
  onMembers?: () => void;
  onClose: () => void;
};

/** The full description of a channel. */
export function AboutDialog({ name, purpose, header, memberCount, onMembers, onClose }: AboutDialogProps) {
  const { me } = useChat();
  const parts = [
    [strings.channel.purpose, purpose],
    [strings.channel.header, header],
  ] as const;
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={name}
      {...(memberCount !== undefined && { description: strings.channel.members(memberCount) })}
    >
      {parts.map(
        ([heading, text]) =>
          text !== "" && (
            <section key={heading} className="mb-4">
              <h3 className="mb-1 text-xs font-semibold tracking-wide text-ink-faint uppercase">{heading}</h3>
              <div dir="auto" className="text-md [overflow-wrap:anywhere]">
                <MessageText text={text} myName={me.username} />
              </div>
            </section>
          ),
      )}
      {purpose === "" && header === "" && <p className="text-sm text-ink-soft">{strings.channel.noAbout}</p>}
      {onMembers && (
        <Button size="small" className="mt-4" onClick={onMembers}>
          <Users aria-hidden size={15} />
          {strings.members.show}
        </Button>
      )}
    </Dialog>
  );
}
