"use client";

import { clsx } from "clsx";
import { useParams } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { loadPart } from "../../_ui/load-part.tsx";
import { useChat } from "../chat-context.ts";
import { channelName } from "../data/channels.ts";
import { useChannels } from "../data/use-channels.ts";
import { useThreadNews } from "../data/use-inbox.ts";
import { type Panel, PanelContext } from "../panel-context.ts";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { strings } from "../strings.en.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

const Finder = loadPart(() => import("../search/finder.tsx").then((module) => module.Finder));
const HelpDialog = loadPart(() => import("./help-dialog.tsx").then((module) => module.HelpDialog));
const SearchPanel = loadPart(() => import("../search/search-panel.tsx").then((module) => module.SearchPanel));
const ThreadInbox = loadPart(() =>
  import("../sidebar/thread-inbox.tsx").then((module) => module.ThreadInbox),
);
const WirePanel = loadPart(() => import("../../_wire/wire-panel.tsx").then((module) => module.WirePanel));

/** The frame of the chat: the list and the conversation side by side, on a phone one at a time. */
export function ChatShell({ children }: { children: ReactNode }) {
  const { channelId } = useParams<{ channelId?: string }>();
  const [panel, setPanel] = useState<Panel>(null);
  useShortcuts(setPanel);
  useUnreadTitle();
  return (
    <PanelContext.Provider value={{ panel, open: setPanel }}>
      <div className="flex h-dvh flex-col overflow-hidden">
        <ConnectionBanner />
        <div className="flex min-h-0 grow">
          <div
            className={clsx(
              "w-full shrink-0 border-r border-line bg-surface md:block md:w-72",
              channelId && "hidden",
            )}
          >
            <Sidebar />
          </div>
          <main id="content" className={clsx("peer min-w-0 grow", channelId ? "flex" : "hidden md:flex")}>
            {children}
          </main>
          {panel === "search" && <SearchPanel onClose={() => setPanel(null)} />}
          {panel === "threads" && <ThreadInbox onClose={() => setPanel(null)} />}
          {panel === "wire" && <WirePanel onClose={() => setPanel(null)} />}
        </div>
      </div>
      {panel === "finder" && <Finder onClose={() => setPanel(null)} />}
      {panel === "help" && <HelpDialog onClose={() => setPanel(null)} />}
    </PanelContext.Provider>
  );
}

/** Shows in the page's title what is open, and the number of unread messages of channels that are not muted. */
function useUnreadTitle() {
  const { me } = useChat();
  const { data } = useChannels();
  const { channelId } = useParams<{ channelId?: string }>();
  const open = data?.find(({ id }) => id === channelId);
  const inThreads = useThreadNews()?.totalUnread ?? 0;
  const inChannels = (data ?? [])
    .filter(({ is_muted }) => !is_muted)
    .reduce((sum, { message_count, mention_count }) => sum + Math.max(message_count, mention_count), 0);
  useEffect(() => {
    document.title = strings.pageTitle(inChannels + inThreads, open ? channelName(open, me.id) : null);
  });
}
