import { isTextKept, keepText, keptKeys, readKept, readText } from "./kept-text.ts";

/** A kind of items that this browser stores. */
type Kind<Item> = {
  /** Start of the items' keys. */
  prefix: string;
  /** Key under which former versions stored a list of all items. */
  formerKey: string;
  /** Returns the rest of an item's key. */
  nameOf: (item: Item) => string;
  /** Returns whether a stored value is an item that is still of use. */
  isGood: (value: unknown) => value is Item;
  /** Returns the number by which items are listed and make room, in ascending order. */
  orderOf: (item: Item) => number;
  /** Completes an item of a former version. */
  complete?: (item: Item) => Item;
  /** Returns whether an item may be removed to make room for another. */
  mayMakeRoom?: (item: Item) => boolean;
};

/**
 * Creates access to items of a kind. Each is stored under a key of its own, so that pages which write at once lose none. An
 * item for which there is no room lasts as long as the page.
 */
export function createKeptItems<Item>({
  prefix,
  formerKey,
  nameOf,
  isGood,
  orderOf,
  complete = (item) => item,
  mayMakeRoom = () => false,
}: Kind<Item>) {
  const keyOf = (item: Item) => prefix + nameOf(item);
  const isSame = (one: Item, other: Item) => keyOf(one) === keyOf(other);
  const storedKeys = () => keptKeys().filter((key) => key.startsWith(prefix));

  function readItem(key: string): Item | null {
    const kept = readKept(key);
    return isGood(kept) && keyOf(kept) === key ? kept : null;
  }

  /** Moves each item of a former version's list to a key of its own, and returns those for which there is no room. */
  function moveFormer(): Item[] {
    const text = readText(formerKey);
    if (text === null) return [];
    const former = readKept(formerKey);
    const unmoved = (Array.isArray(former) ? former : []).filter(isGood).filter((item) => !isMoved(item));
    // A page that still runs a former version may have added an item meanwhile.
    if (readText(formerKey) !== text) return moveFormer();
    keepFormer(unmoved);
    return unmoved;
  }

  function keepFormer(items: readonly Item[]): void {
    const text = items.length > 0 ? JSON.stringify(items) : null;
    if (readText(formerKey) !== text) keepText(formerKey, text);
  }

  function isMoved(item: Item): boolean {
    const key = keyOf(item);
    if (readItem(key)) return isTextKept(key);
    if (keepText(key, JSON.stringify(complete(item)))) return true;
    keepText(key, null);
    return false;
  }

  function list(): Item[] {
    const items = new Map(moveFormer().map((item) => [keyOf(item), item]));
    for (const key of storedKeys()) {
      const item = readItem(key);
      if (item) items.set(key, item);
    }
    return [...items.values()].sort((one, other) => orderOf(one) - orderOf(other));
  }

  function drop(item: Item): void {
    keepFormer(moveFormer().filter((kept) => !isSame(kept, item)));
    keepText(keyOf(item), null);
  }

  return {
    /** Returns all items. */
    list,
    isSame,
    /** Stores an item. If the storage is full, items that may make room are removed, one by one. */
    keep(item: Item): void {
      const key = keyOf(item);
      const text = JSON.stringify(item);
      if (keepText(key, text)) return;
      for (const other of list()) {
        if (isSame(other, item) || !mayMakeRoom(other) || !isTextKept(keyOf(other))) continue;
        drop(other);
        if (keepText(key, text)) return;
      }
    },
    /** Removes an item. */
    drop,
    /** Removes the items that are of no use any more, and values that are none. */
    sweep(): void {
      for (const key of storedKeys()) if (!readItem(key)) keepText(key, null);
    },
  };
}
