"use client";

import { useDeferredValue, useMemo, useState, useSyncExternalStore } from "react";
import { SidePanel } from "../_ui/side-panel.tsx";
import { filterEntries, type KindFilter } from "./filter-entries.ts";
import { strings } from "./strings.en.ts";
import { WireControls } from "./wire-controls.tsx";
import { WireList } from "./wire-list.tsx";
import { type WireEntry, wireLog } from "./wire-log.ts";

/** The record of the tab's HTTP calls and websocket frames: beside the conversation, on a phone over it. */
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
    <SidePanel
      title={strings.title}
      onClose={onClose}
      className="md:left-auto md:w-[26rem] md:border-l md:border-line xl:static xl:z-auto xl:shrink-0 max-2xl:peer-has-[[role=complementary]]:fixed max-2xl:peer-has-[[role=complementary]]:z-30"
    >
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
