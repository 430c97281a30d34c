import { clsx } from "clsx";

const sizes = { tiny: "size-5", small: "size-6", medium: "size-9", large: "size-14" };

/** A person's picture over the person's own pattern, so that a missing picture leaves no gap. */
export function Avatar({
  name,
  imageUrl,
  size = "medium",
  className,
}: {
  name: string;
  imageUrl?: string | undefined;
  size?: keyof typeof sizes;
  className?: string;
}) {
  return (
    <span
      aria-hidden
      className={clsx(
        "relative inline-flex shrink-0 items-center justify-center overflow-hidden rounded-full",
        sizes[size],
        className,
      )}
    >
      <Pattern name={name} />
      {imageUrl && (
        // biome-ignore lint/performance/noImgElement: the gateway sizes and caches these pictures itself
        <img src={imageUrl} alt="" loading="lazy" className="absolute inset-0 size-full object-cover" />
      )}
    </span>
  );
}

const CELLS = 5;
const CELL = 20;
const MARGIN = 14;

/** Returns numbers below 256 that depend only on the name. */
function bytesOf(name: string, count: number): number[] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return Array.from({ length: count }, (_, index) => {
    let mixed = Math.imul(hash ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) & 255;
  });
}

/** Replaces a missing picture: mirrored squares in the person's own colour. */
function Pattern({ name }: { name: string }) {
  const [hue = 0, ...lines] = bytesOf(name, CELLS + 1);
  const squares = lines.flatMap((bits, line) =>
    Array.from({ length: CELLS }, (_, column) => column)
      .filter((column) => (bits >> Math.min(column, CELLS - 1 - column)) % 2 === 1)
      .map((column) => `M${MARGIN + column * CELL} ${MARGIN + line * CELL}h${CELL}v${CELL}h-${CELL}z`),
  );
  return (
    <svg aria-hidden viewBox="0 0 128 128" shapeRendering="crispEdges" className="size-full bg-[#f0f0f2]">
      <path d={squares.join("")} fill={`hsl(${(hue * 360) / 256} 62.5% 48%)`} />
    </svg>
  );
}
