import type { Locator } from "playwright/test";

type Watch = { step: number; isOn: boolean; strayed: number[]; done: Promise<void> };
type Watching = typeof globalThis & { watch: Watch };

/**
 * Scrolls a list by `step` pixels per frame (0: not at all), and measures it in every frame. The returned
 * function stops that and reports, frame by frame, by how many pixels the visible rows moved apart from the
 * scroll.
 */
export async function watchRows(list: Locator, step = 0): Promise<() => Promise<number[]>> {
  await list.evaluate((element, by) => {
    // Runs in a task between two frames, as a reader's scroll does.
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const topsInView = () => {
      const view = element.getBoundingClientRect();
      const boxes = [...element.querySelectorAll<HTMLElement>("[data-post]")].map(
        (row) => [row.dataset.post, row.getBoundingClientRect()] as const,
      );
      const inView = boxes.filter(([, box]) => box.bottom > view.top && box.top < view.bottom);
      return new Map(inView.map(([id, box]) => [id, box.top] as const));
    };
    const watch: Watch = { step: by, isOn: true, strayed: [], done: Promise.resolve() };
    const run = async () => {
      await nextFrame();
      let before = topsInView();
      while (watch.isOn) {
        const offset = element.scrollTop;
        if (watch.step !== 0) element.scrollTop = offset + watch.step;
        const scrolled = element.scrollTop - offset;
        await nextFrame();
        const after = topsInView();
        const moves = [...after].flatMap(([id, top]) => {
          const from = before.get(id);
          return from === undefined ? [] : [Math.abs(top - from + scrolled)];
        });
        watch.strayed.push(moves.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...moves));
        before = after;
      }
    };
    watch.done = run();
    (globalThis as Watching).watch = watch;
  }, step);
  return () =>
    list.evaluate(async () => {
      const { watch } = globalThis as Watching;
      watch.isOn = false;
      await watch.done;
      return watch.strayed;
    });
}
