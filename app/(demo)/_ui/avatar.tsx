import { clsx } from "clsx";

const sizes = { small: "size-6 text-xs", medium: "size-9 text-sm", large: "size-14 text-lg" };

/** A person's picture over their initial, so that a missing picture leaves no hole. */
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
        "relative inline-flex shrink-0 items-center justify-center overflow-hidden rounded-full bg-accent-wash font-semibold text-accent-text uppercase",
        sizes[size],
        className,
      )}
    >
      {name.slice(0, 1)}
      {imageUrl && (
        // biome-ignore lint/performance/noImgElement: the gateway sizes and caches these pictures itself
        <img src={imageUrl} alt="" loading="lazy" className="absolute inset-0 size-full object-cover" />
      )}
    </span>
  );
}
