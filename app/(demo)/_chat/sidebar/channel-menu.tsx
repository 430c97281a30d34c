"use client";

import { useQueryClient } from "@tanstack/react-query";
import {
  Bell,
  BellOff,
  CheckCheck,
  EllipsisVertical,
  Link2,
  LogOut,
  Mail,
  Star,
  StarOff,
  Users,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { type RefObject, useRef, useState } from "react";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../../_ui/menu.tsx";
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

/** In the order of the menu; in a conversation of two every message counts as a mention. */
const levels = ["all", "mention", "none", "default"] as const;

/**
 * What can be done with a channel: favourite, mute, read, unread, link, what notifies, leave. The socket may take this menu
 * away before the answer is here, so what follows an act hangs on its promise.
 */
export function ChannelMenu({
  channel,
  isSmall = false,
  onOpenChange,
}: {
  channel: Channel;
  isSmall?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
}) {
  const { me } = useChat();
  const router = useRouter();
  const flags = useChannelFlags();
  const membership = useMembership();
  const markRead = useMarkRead();
  const cache = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const { id: channelId, is_favorite, is_muted, notify_level, type, message_count, mention_count } = channel;
  const fail = () => {
    toast.error(strings.toast.failed);
  };

  const leave = async () => {
    await membership.mutateAsync({ channelId, act: "leave" });
    toast(strings.toast.left(channelName(channel, me.id)));
    if (window.location.pathname === `/chat/${channelId}`) router.push("/chat");
  };

  return (
    <>
      <Menu
        {...(onOpenChange && { onOpenChange })}
        trigger={
          <IconButton
            ref={trigger}
            label={`${strings.channel.menu}: ${channelName(channel, me.id)}`}
            size={isSmall ? "small" : "medium"}
          >
            <EllipsisVertical aria-hidden size={isSmall ? 16 : 18} />
          </IconButton>
        }
      >
        <MenuItem
          icon={is_favorite ? <StarOff aria-hidden size={16} /> : <Star aria-hidden size={16} />}
          onSelect={() => {
            flags.mutateAsync({ channelId, act: "favorite", value: !is_favorite }).catch(fail);
          }}
        >
          {is_favorite ? strings.channel.unfavorite : strings.channel.favorite}
        </MenuItem>
        <MenuItem
          icon={is_muted ? <Bell aria-hidden size={16} /> : <BellOff aria-hidden size={16} />}
          onSelect={() => {
            flags.mutateAsync({ channelId, act: "mute", value: !is_muted }).catch(fail);
          }}
        >
          {is_muted ? strings.channel.unmute : strings.channel.mute}
        </MenuItem>
        <MenuItem
          icon={<CheckCheck aria-hidden size={16} />}
          onSelect={() => void markRead(channelId).catch(fail)}
        >
          {strings.channel.markRead}
        </MenuItem>
        {message_count + mention_count === 0 && (
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
          value={type === "D" && notify_level === "mention" ? "all" : notify_level}
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
          onSelect={() => (type === "P" ? setIsAsking(true) : void leave().catch(fail))}
        >
          {type === "D" || type === "G" ? strings.channel.hide : strings.channel.leave}
        </MenuItem>
      </Menu>
      {isAsking && (
        <LeaveDialog
          name={channelName(channel, me.id)}
          menu={trigger}
          onClose={() => setIsAsking(false)}
          onLeave={() => {
            setIsAsking(false);
            void leave().catch(fail);
          }}
        />
      )}
    </>
  );
}

/** Asks before a private channel is left, since nobody can come back on their own. */
function LeaveDialog({
  name,
  menu,
  onLeave,
  onClose,
}: {
  name: string;
  /** The button of the menu that asks. */
  menu: RefObject<HTMLElement | null>;
  onLeave: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={strings.channel.leaveTitle(name)}
      description={strings.channel.leaveText}
      returnFocus={menu}
    >
      <div className="flex justify-end gap-3">
        <Button onClick={onClose}>{strings.message.cancel}</Button>
        <Button tone="danger" onClick={onLeave}>
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

/** Everything that a channel says of itself. */
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
