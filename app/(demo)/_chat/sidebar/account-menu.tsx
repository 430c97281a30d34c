"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Activity, Bell, BellOff, Keyboard, LogOut, Newspaper, Settings, Wallet } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useShopHere } from "../../_pay/shop-here.tsx";
import { problemOf } from "../../_session/problem-of.ts";
import { signOut } from "../../_session/sign-in.ts";
import type { Opened } from "../../_ui/opener.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../_ui/popups.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat, usePanel } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import { notificationChoice, turnOffNotifications, turnOnNotifications } from "../data/notifications.ts";
import { strings } from "../strings.en.ts";

/** Actions for the account rather than a channel. */
export function AccountMenu({ opened }: { opened: Opened }) {
  const { removals } = useChat();
  const { open } = usePanel();
  const hasShop = useShopHere();
  const router = useRouter();
  const cache = useQueryClient();
  const [isNotifying] = useState(() => notificationChoice() === "on");

  const askForNotifications = async () => {
    toast(strings.account.notificationsAre[await turnOnNotifications()]);
  };
  const endNotifications = () => {
    turnOffNotifications();
    toast(strings.account.notificationsAre.off);
  };
  const leave = async () => {
    if (removals.snapshot().size > 0) toast(strings.account.deletesFirst);
    await removals.flush();
    chatClient.disconnect();
    try {
      await signOut();
    } catch (error) {
      chatClient.connect();
      toast.error(strings.account.stillSignedIn(problemOf(error)));
      return;
    }
    cache.clear();
    router.push("/");
  };

  return (
    <Menu opened={opened} align="start">
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
      {hasShop && (
        <MenuItem icon={<Newspaper aria-hidden size={16} />} onSelect={() => router.push("/articles")}>
          {strings.account.articles}
        </MenuItem>
      )}
      <MenuItem icon={<Wallet aria-hidden size={16} />} onSelect={() => router.push("/payments")}>
        {strings.account.payments}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden size={16} />} onSelect={() => void leave()}>
        {strings.account.signOut}
      </MenuItem>
    </Menu>
  );
}
