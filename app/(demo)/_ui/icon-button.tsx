import { clsx } from "clsx";
import type { ComponentProps } from "react";

const sizes = { small: "size-8", medium: "size-9", large: "size-10" };

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> & {
  label: string;
  isActive?: boolean;
  isPrimary?: boolean;
  size?: keyof typeof sizes;
};

/** A square icon button; `label` is its name for screen readers and its tooltip. Touch screens get one of 44 px. */
export function IconButton({
  label,
  isActive = false,
  isPrimary = false,
  size = "medium",
  className,
  children,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        "inline-flex shrink-0 items-center justify-center rounded-lg transition-colors disabled:opacity-50 pointer-coarse:size-11",
        sizes[size],
        isPrimary
          ? "bg-accent text-accent-ink hover:bg-accent-hover forced-colors:border"
          : isActive
            ? "bg-selected text-ink"
            : "text-ink-soft hover:bg-sunken hover:text-ink",
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  );
}
