"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { wheelDistance } from "../list/list-handle.ts";
import { strings } from "../strings.en.ts";

type Beyond = { unread: number; mentions: number };
type OutOfSight = { above: Beyond; below: Beyond };

const ROW = "[data-unread]";
const nothing: OutOfSight = { above: { unread: 0, mentions: 0 }, below: { unread: 0, mentions: 0 } };

/** The unread rows of a scrolling list that are beyond its upper edge, or its lower one. */
function rowsBeyond(list: HTMLElement, edge: keyof OutOfSight): HTMLElement[] {
  const { top, bottom } = list.getBoundingClientRect();
  return [...list.querySelectorAll<HTMLElement>(ROW)].filter((row) => {
    const place = row.getBoundingClientRect();
    return edge === "above" ? place.bottom <= top + place.height / 2 : place.top >= bottom - place.height / 2;
  });
}

function count(list: HTMLElement, edge: keyof OutOfSight): Beyond {
  const rows = rowsBeyond(list, edge);
  const mentions = rows.reduce((sum, row) => sum + Number(row.dataset.unread), 0);
  return { unread: rows.length, mentions };
}

/** Says how much is unread beyond the edges of the list, and leads to the nearest of it, mentions first. */
export function UnreadPills({ list }: { list: RefObject<HTMLElement | null> }) {
  const [beyond, setBeyond] = useState(nothing);
  useEffect(() => {
    const place = list.current;
    if (!place) return;
    const look = () => {
      const seen = { above: count(place, "above"), below: count(place, "below") };
      setBeyond((known) => (JSON.stringify(known) === JSON.stringify(seen) ? known : seen));
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(place);
    const rows = new MutationObserver(look);
    rows.observe(place, { subtree: true, childList: true, attributeFilter: ["data-unread"] });
    place.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      rows.disconnect();
      place.removeEventListener("scroll", look);
    };
  }, [list]);

  const show = (edge: keyof OutOfSight) => {
    const rows = list.current ? rowsBeyond(list.current, edge) : [];
    const mentioning = rows.filter(({ dataset }) => Number(dataset.unread) > 0);
    const nearest = (mentioning.length > 0 ? mentioning : rows).at(edge === "above" ? -1 : 0);
    nearest?.scrollIntoView({ block: "center" });
    nearest?.querySelector<HTMLElement>("a")?.focus({ preventScroll: true });
  };
  return (["above", "below"] as const).map((edge) => {
    const { unread, mentions } = beyond[edge];
    if (unread === 0) return null;
    const Arrow = edge === "above" ? ArrowUp : ArrowDown;
    return (
      <button
        key={edge}
        type="button"
        onClick={() => show(edge)}
        onWheel={(event) => list.current?.scrollBy({ top: wheelDistance(event), behavior: "instant" })}
        className={`absolute left-1/2 z-10 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-raised px-3 text-xs font-semibold whitespace-nowrap text-ink shadow-lift hover:border-line-strong pointer-coarse:h-10 ${edge === "above" ? "top-2" : "bottom-2"}`}
      >
        <Arrow aria-hidden size={14} />
        {mentions > 0
          ? strings.sidebar.mentionsBeyond[edge](mentions)
          : strings.sidebar.unreadBeyond[edge](unread)}
      </button>
    );
  });
}
