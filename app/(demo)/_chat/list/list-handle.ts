/** What a list knows of a row: a key that stays its own. */
export type ListRow = { key: string };

/** Where a row stands when the list is moved to it. */
export type RowAlign = "start" | "center";

/** The place that a list holds: its end, or one row. */
export type Place = "end" | { key: string; align: RowAlign };

/** What others may ask of a list. */
export type ListHandle = {
  /** Moves to a place and holds it, whatever is put before it or grows, until the reader scrolls. */
  show: (place: Place) => void;
  /** Scrolls as the reader's own wheel does, by pixels. */
  scrollBy: (distance: number) => void;
};

/** Which edges of the loaded rows are in view or not far from it. */
export type ListView = { isAtStart: boolean; isNearStart: boolean; isNearEnd: boolean; isAtEnd: boolean };

type Wheel = Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey">;

const LINE_PX = 16;

/** How many pixels a turn of the wheel means in a list; 0 where it zooms the page. */
export function wheelDistance({ deltaY, deltaMode, ctrlKey }: Wheel): number {
  if (ctrlKey) return 0;
  return deltaMode === 0 ? deltaY : deltaY * LINE_PX;
}

type Geometry = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

const AT_EDGE_PX = 24;
/** How far a reader scrolls while a page is fetched. */
const NEAR_EDGE_PX = 3_000;

/** Reads a scrolling element's geometry. */
export function viewOf({ scrollTop, scrollHeight, clientHeight }: Geometry): ListView {
  const below = scrollHeight - clientHeight - scrollTop;
  return {
    isAtStart: scrollTop <= AT_EDGE_PX,
    isNearStart: scrollTop <= NEAR_EDGE_PX,
    isNearEnd: below <= NEAR_EDGE_PX,
    isAtEnd: below <= AT_EDGE_PX,
  };
}
