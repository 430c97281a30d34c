/** A row as the list sees it: a key that never changes. */
export type ListRow = { key: string };

/** The position of a row when the list moves to it. */
export type RowAlign = "start" | "center";

/** The place that a list holds: its end, or one row. */
export type Place = "end" | { key: string; align: RowAlign };

/** Actions on a list that other components can call. */
export type ListHandle = {
  /** Moves to a place and holds it until the reader scrolls, even if rows are inserted before it or grow. */
  show: (place: Place) => void;
  /** Scrolls by pixels, as the reader's wheel does. */
  scrollBy: (distance: number) => void;
};

/** The edges of the loaded rows that are in view or near it. */
export type ListView = { isAtStart: boolean; isNearStart: boolean; isNearEnd: boolean; isAtEnd: boolean };

type Wheel = Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey">;

const LINE_PX = 16;

/** Returns the pixels by which a turn of the wheel scrolls a list; 0 if it zooms the page. */
export function wheelDistance({ deltaY, deltaMode, ctrlKey }: Wheel): number {
  if (ctrlKey) return 0;
  return deltaMode === 0 ? deltaY : deltaY * LINE_PX;
}

/** An element's scroll offset and heights, in pixels. */
export type Geometry = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

const AT_EDGE_PX = 24;
/** Distance that a reader may scroll while a page is fetched. */
const NEAR_EDGE_PX = 3_000;

/** Reads the geometry of a scrolling element. */
export function viewOf({ scrollTop, scrollHeight, clientHeight }: Geometry): ListView {
  const below = scrollHeight - clientHeight - scrollTop;
  return {
    isAtStart: scrollTop <= AT_EDGE_PX,
    isNearStart: scrollTop <= NEAR_EDGE_PX,
    isNearEnd: below <= NEAR_EDGE_PX,
    isAtEnd: below <= AT_EDGE_PX,
  };
}
