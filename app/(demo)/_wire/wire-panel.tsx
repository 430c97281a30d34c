"use client";

import { ArrowDown, ArrowUp, ChevronRight, Eraser, Pause, Play } from "lucide-react";
import {
  memo,
  useDeferredValue,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Button } from "../_ui/button.tsx";
import { useLanguage } from "../_ui/choose-language.ts";
import { IconButton } from "../_ui/icon-button.tsx";
import { timesIn } from "../_ui/language.ts";
import { SidePanel } from "../_ui/side-panel.tsx";
import { CodeBlock, StepHeaders, StepSummary } from "./flow-step-view.tsx";
import { strings } from "./strings.en.ts";
import { filterEntries, type KindFilter, showFrame, type WireEntry, wireLog } from "./wire-log.ts";

/**
 * The record of the tab's HTTP calls and websocket frames, next to the conversation or, on a phone, over it.
 */
export function WirePanel({ onClose }: { onClose: () => void }) {
  const live = useSyncExternalStore(wireLog.subscribe, wireLog.snapshot, wireLog.snapshot);
  const [held, setHeld] = useState<readonly WireEntry[] | null>(null);
  const [kind, setKind] = useState<KindFilter>("all");
  const [text, setText] = useState("");
  const [news, setNews] = useState("");

  const all = held ?? live;
  const wanted = useDeferredValue(text);
  const entries = useMemo(() => filterEntries(all, kind, wanted), [all, kind, wanted]);
  const heldUpTo = held?.at(-1)?.id ?? 0;
  const more = held ? live.filter(({ id }) => id > heldUpTo).length : 0;

  const pause = () => {
    setHeld(held ? null : live);
    setNews(held ? strings.resumed : strings.paused);
  };
  const clear = () => {
    wireLog.clear();
    if (held) setHeld([]);
    setNews(strings.cleared);
  };

  return (
    <SidePanel title={strings.title} onClose={onClose}>
      <p className="px-4 pb-3 text-sm text-ink-soft">{strings.text}</p>
      <WireControls
        kind={kind}
        onKind={setKind}
        text={text}
        onText={setText}
        isPaused={held !== null}
        onPause={pause}
        onClear={clear}
      />
      <p className="flex justify-between gap-2 border-b border-line px-4 py-1.5 text-xs text-ink-soft tabular-nums">
        <span>{strings.shown(entries.length, all.length)}</span>
        {more > 0 && <span>{strings.waiting(more)}</span>}
      </p>
      <p role="status" className="sr-only">
        {news}
      </p>
      {entries.length > 0 ? (
        <WireList entries={entries} />
      ) : (
        <p className="m-4 rounded-xl border border-dashed border-line p-6 text-center text-sm text-ink-soft">
          {all.length === 0 ? strings.empty : strings.noMatch}
        </p>
      )}
    </SidePanel>
  );
}

type WireControlsProps = {
  kind: KindFilter;
  onKind: (kind: KindFilter) => void;
  text: string;
  onText: (text: string) => void;
  isPaused: boolean;
  onPause: () => void;
  onClear: () => void;
};

const kinds = ["all", "http", "frames"] as const;

/** Controls for which entries are shown, and whether new ones are added. */
export function WireControls({ kind, onKind, text, onText, isPaused, onPause, onClear }: WireControlsProps) {
  const name = useId();
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 pb-3">
      <fieldset className="flex rounded-lg border border-line-strong p-0.5">
        <legend className="sr-only">{strings.kind}</legend>
        {kinds.map((choice) => (
          <label
            key={choice}
            className="cursor-pointer flex items-center rounded-md px-2.5 py-1.5 text-sm pointer-coarse:min-h-11 pointer-coarse:min-w-11 has-checked:bg-selected has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={kind === choice}
              onChange={() => onKind(choice)}
            />
            {strings.kinds[choice]}
          </label>
        ))}
      </fieldset>
      <span className="ms-auto flex">
        <IconButton label={isPaused ? strings.resume : strings.pause} isActive={isPaused} onClick={onPause}>
          {isPaused ? <Play aria-hidden size={17} /> : <Pause aria-hidden size={17} />}
        </IconButton>
        <IconButton label={strings.clear} onClick={onClear}>
          <Eraser aria-hidden size={17} />
        </IconButton>
      </span>
      <input
        type="search"
        aria-label={strings.filter}
        placeholder={strings.filter}
        value={text}
        maxLength={200}
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        className="h-9 pointer-coarse:h-11 w-full rounded-lg border border-line-strong bg-surface px-3 text-base sm:text-sm"
      />
    </div>
  );
}

const NEAR_END_PX = 24;

/** The entries, newest last. Readers at the end follow new ones. */
export function WireList({ entries }: { entries: readonly WireEntry[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const jump = useRef<HTMLButtonElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const endTop = useRef(0);
  const showEnd = () => {
    const list = scroller.current;
    if (!list) return;
    list.scrollTo({ top: list.scrollHeight });
    endTop.current = list.scrollTop;
  };
  const follow = () => {
    // The button disappears, and the focus must not be lost.
    scroller.current?.focus({ preventScroll: true });
    showEnd();
    setIsAtEnd(true);
  };
  const lastId = entries.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last entry is what to follow
  useLayoutEffect(() => {
    // A reader may have scrolled up whose event is still pending.
    const hasLeft = (scroller.current?.scrollTop ?? 0) < endTop.current - NEAR_END_PX;
    if (isAtEnd && !hasLeft) showEnd();
  }, [lastId]);
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        tabIndex={-1}
        onScroll={({ currentTarget: list }) => {
          const isNearEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX;
          if (isNearEnd && document.activeElement === jump.current) list.focus({ preventScroll: true });
          if (isNearEnd) endTop.current = list.scrollTop;
          setIsAtEnd(isNearEnd);
        }}
        className="relative h-full overflow-y-auto overscroll-contain"
      >
        <ol aria-label={strings.list}>
          {entries.map((entry) => (
            <WireRow key={entry.id} entry={entry} />
          ))}
        </ol>
      </div>
      {!isAtEnd && (
        <Button ref={jump} size="small" onClick={follow} className="absolute end-4 bottom-3 shadow-lift">
          <ArrowDown aria-hidden size={14} />
          {strings.newest}
        </Button>
      )}
    </div>
  );
}

const clock = timesIn({
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

type Frame = Extract<WireEntry, { kind: "frame" }>;

function FrameSummary({ frame: { direction, name, seq, text } }: { frame: Frame }) {
  const Arrow = direction === "in" ? ArrowDown : ArrowUp;
  return (
    <>
      <Arrow aria-hidden size={15} className={direction === "in" ? "text-good" : "text-ink-soft"} />
      <span className="sr-only">{direction === "in" ? strings.received : strings.sent}</span>
      <bdi className="min-w-0 font-mono font-semibold break-all">{name}</bdi>
      {seq !== null && <span className="text-xs text-ink-soft tabular-nums">{strings.seq(seq)}</span>}
      <span className="ms-auto text-xs text-ink-soft tabular-nums">
        {strings.size(new TextEncoder().encode(text).length)}
      </span>
    </>
  );
}

/** A call or a frame in one line; expanded, it shows its headers or content. */
const WireRow = memo(function WireRow({ entry }: { entry: WireEntry }) {
  useLanguage();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="w-full px-3 py-2 text-start text-sm -outline-offset-2 hover:bg-sunken"
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <ChevronRight
            aria-hidden
            size={14}
            className={`shrink-0 text-ink-faint ${isOpen ? "rotate-90" : "rtl:rotate-180"}`}
          />
          {entry.kind === "frame" ? <FrameSummary frame={entry} /> : <StepSummary step={entry.step} />}
        </span>
        <span className="mt-0.5 flex items-baseline gap-2 ps-5.5 text-xs text-ink-soft">
          <span dir="ltr" className="min-w-0 font-mono break-all">
            {entry.kind === "http" ? entry.step.url : "/api/chat/websocket"}
          </span>
          <time dateTime={new Date(entry.at).toISOString()} className="ms-auto shrink-0 tabular-nums">
            {clock(entry.at)}
          </time>
        </span>
      </button>
      {isOpen && (
        <div className="px-3 pb-3 ps-8.5">
          {entry.kind === "frame" ? (
            <CodeBlock text={showFrame(entry.text)} />
          ) : (
            <StepHeaders headers={entry.step.headers} />
          )}
        </div>
      )}
    </li>
  );
});
