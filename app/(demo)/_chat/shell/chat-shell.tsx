"use client";

import { clsx } from "clsx";
import { RefreshCw, WifiOff } from "lucide-react";
import { useParams, useRouter } from "next/navigation";
import {
  type ReactNode,
  startTransition,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "../../_ui/button.tsx";
import { showBadge } from "../../_ui/installed.ts";
import { canKeep } from "../../_ui/kept-text.ts";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { usePageTitle } from "../../_ui/page-title.ts";
import { coveredPart, hasRoomForTwo, useMediaQuery } from "../../_ui/panel.ts";
import { hasKeys } from "../../_ui/text-field.tsx";
import { toast } from "../../_ui/toast.tsx";
import { whenIdle } from "../../_ui/when-idle.ts";
import {
  type Early,
  FINDER_LENGTH,
  type Panel,
  PanelContext,
  SEARCH_LENGTH,
  type ThreadList,
  useChat,
} from "../chat-context.ts";
import { isTyping } from "../composer/focus-composer.ts";
import { HeldText } from "../composer/held-field.tsx";
import { channelName, isUnread, mentionsIn, unreadIn } from "../data/channels.ts";
import { chatClient } from "../data/chat-client.ts";
import type { Channel } from "../data/model.ts";
import { nextChannel, useFollowRoute } from "../data/next-channel.ts";
import { useChannels, useSections } from "../data/use-channels.ts";
import { useIsOnline } from "../data/use-connection.ts";
import { useInbox, useThreadNews } from "../data/use-inbox.ts";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { strings } from "../strings.en.ts";

const loadFinder = () => import("../search/finder.tsx");
const Finder = loadClosable(
  () => loadFinder().then((module) => module.Finder),
  (props) => (
    <div className="fixed inset-0 z-40 bg-black/45">
      <EarlyField early={props.early} label={strings.finder.title} maxLength={FINDER_LENGTH} />
    </div>
  ),
);
const HelpDialog = loadClosable(() => import("./help-dialog.tsx").then((module) => module.HelpDialog));
const SearchPanel = loadClosable(
  () => import("../search/search-panel.tsx").then((module) => module.SearchPanel),
  (props) => <EarlyField early={props.early} label={strings.search.label} maxLength={SEARCH_LENGTH} />,
);
const MentionsPanel = loadClosable(() =>
  import("../search/search-panel.tsx").then((module) => module.MentionsPanel),
);
const ThreadInbox = loadClosable(() =>
  import("../sidebar/thread-inbox.tsx").then((module) => module.ThreadInbox),
);
const PinnedPanel = loadClosable(() =>
  import("../search/pinned-panel.tsx").then((module) => module.PinnedPanel),
);
const MembersPanel = loadClosable(() =>
  import("../people/members-panel.tsx").then((module) => module.MembersPanel),
);
const WirePanel = loadClosable(() => import("../../_wire/wire-panel.tsx").then((module) => module.WirePanel));

/** Windows in which the list and a conversation do not fit side by side. */
const SINGLE = "(max-width: 767px)";

/** The frame of the chat: the list and the conversation side by side, or one at a time on a phone. */
export function ChatShell({ children }: { children: ReactNode }) {
  const { channelId } = useParams<{ channelId?: string }>();
  const [panel, setPanel] = useState<Panel>(null);
  const origin = useRef<{ rootId: string; list: ThreadList } | null>(null);
  const panels = useMemo(
    () => ({
      panel,
      open: setPanel,
      leaveFor(rootId: string, list: ThreadList) {
        origin.current = { rootId, list };
        if (!hasRoomForTwo()) setPanel(null);
      },
      returnFrom(rootId: string) {
        if (origin.current?.rootId === rootId) setPanel(origin.current.list);
        origin.current = null;
      },
    }),
    [panel],
  );
  useShortcuts(setPanel);
  useUnread();
  useFollowRoute();
  useEffect(() => {
    if (!canKeep()) toast.error(strings.keepsNothing);
  }, []);
  const isSingle = useMediaQuery(SINGLE);
  const isListAlone = isSingle && !channelId;
  const isListDrawn = useIsDrawn(!isSingle || isListAlone);
  return (
    <PanelContext.Provider value={panels}>
      <div className="flex h-dvh flex-col overflow-hidden">
        <a
          ref={coveredPart}
          href="#content"
          className="sr-only z-50 rounded-lg bg-raised px-4 py-2 font-medium text-link focus:not-sr-only focus:absolute focus:start-3 focus:top-3"
        >
          {strings.skip}
        </a>
        <ConnectionBanner />
        <div className="flex min-h-0 grow">
          {/* An element of another type would be mounted anew and lose the list's scroll position. */}
          <div
            ref={coveredPart}
            {...(isListAlone && { role: "main", id: "content", tabIndex: -1 })}
            className={clsx(
              "w-full shrink-0 border-line bg-surface md:block md:w-72 md:border-e",
              channelId && "hidden",
            )}
          >
            {isListAlone && <h1 className="sr-only">{strings.sidebar.label}</h1>}
            {isListDrawn && <Sidebar isAlone={isListAlone} />}
          </div>
          {!isListAlone && (
            <main id="content" tabIndex={-1} className="peer outline-none flex min-w-0 grow">
              {children}
            </main>
          )}
          {panel === "search" && <EarlySearch onClose={() => setPanel(null)} />}
          {panel === "mentions" && <MentionsPanel onClose={() => setPanel(null)} />}
          {panel === "threads" && <ThreadInbox onClose={() => setPanel(null)} />}
          {panel === "pinned" && channelId && (
            <PinnedPanel key={channelId} channelId={channelId} onClose={() => setPanel(null)} />
          )}
          {panel === "members" && channelId && (
            <MembersPanel key={channelId} channelId={channelId} onClose={() => setPanel(null)} />
          )}
          {panel === "wire" && <WirePanel onClose={() => setPanel(null)} />}
        </div>
      </div>
      {(panel === "finder" || panel === "browse") && (
        <FinderPanel isBrowsed={panel === "browse"} onClose={() => setPanel(null)} />
      )}
      {panel === "help" && <HelpDialog onClose={() => setPanel(null)} />}
      <HeldText />
    </PanelContext.Provider>
  );
}

/**
 * Returns whether to render parts that are hidden at first, such as the list behind a phone's channel. They
 * render from the first idle moment on.
 */
function useIsDrawn(isSeen: boolean): boolean {
  const [isDrawn, setIsDrawn] = useState(isSeen);
  if (isSeen && !isDrawn) setIsDrawn(true);
  useEffect(() => (isDrawn ? undefined : whenIdle(() => startTransition(() => setIsDrawn(true)))), [isDrawn]);
  return isDrawn || isSeen;
}

const earlyFrom = (takesFocus: boolean): Early => ({
  text: "",
  before: { current: document.activeElement instanceof HTMLElement ? document.activeElement : null },
  takesFocus,
});

/** The finder or, until it has loaded, a field that keeps everything that the user types. */
function FinderPanel({ isBrowsed, onClose }: { isBrowsed: boolean; onClose: () => void }) {
  const [early] = useState(() => earlyFrom(!isBrowsed || hasKeys()));
  return <Finder early={early} onClose={onClose} />;
}

/** The search or, until it has loaded, a field that keeps everything that the user types. */
function EarlySearch({ onClose }: { onClose: () => void }) {
  const [early] = useState(() => earlyFrom(true));
  return <SearchPanel early={early} onClose={onClose} />;
}

function EarlyField({ early, label, maxLength }: { early: Early; label: string; maxLength: number }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!early.takesFocus) return;
    field.current?.focus();
    return () => early.before.current?.focus({ preventScroll: true });
  }, [early]);
  return (
    <input
      ref={field}
      aria-label={label}
      maxLength={maxLength}
      autoCapitalize="none"
      className="sr-only"
      onChange={({ target }) => {
        early.text = target.value;
      }}
    />
  );
}

/** Shows the number of unread mentions and direct messages in the page's title and on the app's icon. */
function useUnread() {
  const { me } = useChat();
  const { data } = useChannels();
  const { channelId } = useParams<{ channelId?: string }>();
  const open = data?.find(({ id }) => id === channelId);
  const inThreads = useThreadNews();
  const { isPending: isInboxPending } = useInbox();
  const wanted = (data ?? []).reduce(
    (sum, channel) => sum + Math.min(mentionsIn(channel), unreadIn(channel)),
    inThreads?.totalMentions ?? 0,
  );
  usePageTitle(strings.pageTitle(wanted, open ? channelName(open, me.id) : null));
  const isKnown = data !== undefined && !isInboxPending;
  useEffect(() => {
    if (isKnown) showBadge(wanted);
  }, [isKnown, wanted]);
}

/** Returns the channel `step` places from the chosen one, wrapping around at the ends. */
function neighbour(channels: readonly Channel[], step: 1 | -1, onlyUnread: boolean): Channel | undefined {
  const presentId = nextChannel() ?? window.location.pathname.split("/").at(-1);
  const present = channels.findIndex(({ id }) => id === presentId);
  for (let distance = 1; distance <= channels.length; distance++) {
    const index = (present + step * distance + channels.length * 2) % channels.length;
    const channel = channels[index];
    if (channel && (!onlyUnread || isUnread(channel))) return channel;
  }
  return undefined;
}

/** Handles the keys that work everywhere in the chat. */
function useShortcuts(open: (panel: Panel | ((panel: Panel) => Panel)) => void) {
  const router = useRouter();
  const sections = useSections();
  const moveToNeighbour = useEffectEvent((step: 1 | -1, onlyUnread: boolean) => {
    const channels = sections.flatMap((section) => section.channels);
    const next = neighbour(channels, step, onlyUnread);
    if (next) router.push(`/chat/${next.id}`);
  });

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // The first of the two keys that open the finder: it should be loaded when the second is pressed.
      if (event.key === "Control" || event.key === "Meta") loadFinder().catch(() => undefined);
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open((panel) => (panel === "finder" || panel === "browse" ? null : "finder"));
      } else if (isCommand && event.shiftKey && event.key.toLowerCase() === "f") {
        event.preventDefault();
        open("search");
      } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        event.preventDefault();
        moveToNeighbour(event.key === "ArrowDown" ? 1 : -1, event.shiftKey);
      } else if (event.altKey && event.shiftKey && !isCommand && event.code === "KeyL") {
        event.preventDefault();
        open((panel) => (panel === "wire" ? null : "wire"));
      } else if (isCommand ? event.key === "/" : event.key === "?" && !isTyping(event.target)) {
        event.preventDefault();
        open("help");
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [open]);
}

const PATIENCE_MS = 1_500;

/**
 * Says that the connection is lost once it has been lost for a moment, and offers to reconnect immediately.
 */
function ConnectionBanner() {
  const { connection } = useChat();
  const isOnline = useIsOnline();
  const [isShown, setIsShown] = useState(false);
  const isDown = !["open", "closed"].includes(connection) || !isOnline;

  useEffect(() => {
    const timer = setTimeout(() => setIsShown(isDown), isDown ? PATIENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [isDown]);

  return (
    <div role="status">
      {isShown && (
        <div className="flex items-center justify-center gap-3 bg-selected px-4 py-1.5 text-sm">
          <WifiOff aria-hidden size={16} className="shrink-0 text-ink-soft" />
          <span>{isOnline ? strings.connection.waiting : strings.connection.offline}</span>
          {/* The text is not inert, so that it is announced under a panel too. */}
          <Button
            ref={coveredPart}
            size="small"
            tone="plain"
            className="shrink-0"
            onClick={chatClient.reconnect}
          >
            <RefreshCw aria-hidden size={14} />
            {strings.connection.retry}
          </Button>
        </div>
      )}
    </div>
  );
}
