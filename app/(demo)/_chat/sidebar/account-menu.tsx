"use client";

import { useQueryClient } from "@tanstack/react-query";
import {
  Activity,
  Bell,
  BellOff,
  ChevronUp,
  Keyboard,
  LogOut,
  Newspaper,
  Settings,
  Wallet,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { signOut } from "../../_session/sign-in.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../_ui/menu.tsx";
import { ThemeSwitch } from "../../_ui/theme.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat, usePanel } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import { pictureOf } from "../data/model.ts";
import { notificationChoice, turnOffNotifications, turnOnNotifications } from "../data/notifications.ts";
import { strings } from "../strings.en.ts";

/** Who is signed in, and what concerns the account rather than a channel. */
export function AccountMenu() {
  const { me, removals } = useChat();
  const { open } = usePanel();
  const router = useRouter();
  const cache = useQueryClient();
  const [isNotifying, setIsNotifying] = useState(false);

  const askForNotifications = async () => {
    toast(strings.account.notificationsAre[await turnOnNotifications()]);
  };
  const endNotifications = () => {
    turnOffNotifications();
    toast(strings.account.notificationsAre.off);
  };
  const leave = async () => {
    await removals.flush();
    chatClient.disconnect();
    await signOut();
    cache.clear();
    router.push("/");
  };

  return (
    <div className="flex items-center gap-1 border-t border-line p-2">
      <Menu
        align="start"
        onOpenChange={(isOpen) => {
          if (isOpen) setIsNotifying(notificationChoice() === "on");
        }}
        trigger={
          <button
            type="button"
            aria-label={strings.account.menu(me.username)}
            className="flex min-w-0 grow items-center gap-2.5 rounded-lg p-1.5 text-start hover:bg-sunken"
          >
            <Avatar name={me.username} imageUrl={pictureOf(me)} />
            <span className="truncate font-medium">{me.username}</span>
            <ChevronUp aria-hidden size={16} className="ms-auto shrink-0 text-ink-faint" />
          </button>
        }
      >
        {isNotifying ? (
          <MenuItem icon={<BellOff aria-hidden size={16} />} onSelect={endNotifications}>
            {strings.account.noNotifications}
          </MenuItem>
        ) : (
          <MenuItem icon={<Bell aria-hidden size={16} />} onSelect={() => void askForNotifications()}>
            {strings.account.notifications}
          </MenuItem>
        )}
        <MenuItem icon={<Settings aria-hidden size={16} />} onSelect={() => router.push("/settings")}>
          {strings.account.settings}
        </MenuItem>
        <MenuItem icon={<Keyboard aria-hidden size={16} />} onSelect={() => open("help")}>
          {strings.account.shortcuts}
        </MenuItem>
        <MenuItem icon={<Activity aria-hidden size={16} />} onSelect={() => open("wire")}>
          {strings.account.wire}
        </MenuItem>
        <MenuItem icon={<Newspaper aria-hidden size={16} />} onSelect={() => router.push("/articles")}>
          {strings.account.articles}
        </MenuItem>
        <MenuItem icon={<Wallet aria-hidden size={16} />} onSelect={() => router.push("/payments")}>
          {strings.account.payments}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<LogOut aria-hidden size={16} />} onSelect={() => void leave()}>
          {strings.account.signOut}
        </MenuItem>
      </Menu>
      <ThemeSwitch />
    </div>
  );
}
