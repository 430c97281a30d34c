import { clsx } from "clsx";
import type { ComponentProps } from "react";

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> & { label: string; isActive?: boolean };

/** A square button that shows an icon; `label` is its name for screen readers and its tooltip. */
export function IconButton({ label, isActive = false, className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        "inline-flex size-9 shrink-0 items-center justify-center rounded-lg transition-colors disabled:opacity-50",
        isActive ? "bg-accent-wash text-accent-text" : "text-ink-soft hover:bg-sunken hover:text-ink",
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  );
}
