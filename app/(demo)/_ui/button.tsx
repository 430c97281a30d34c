import { clsx } from "clsx";
import type { ComponentProps } from "react";

const base =
  "inline-flex items-center justify-center gap-2 rounded-lg font-medium transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55";

const tones = {
  primary: "forced-colors:border bg-accent text-accent-ink hover:bg-accent-hover",
  quiet: "border border-line bg-raised text-ink hover:border-line-strong",
  plain: "text-ink-soft hover:bg-sunken hover:text-ink",
  danger: "forced-colors:border bg-danger text-danger-ink hover:opacity-90",
};

const sizes = {
  small: "h-8 px-3 text-sm pointer-coarse:h-11",
  medium: "h-10 px-4 text-sm pointer-coarse:h-11",
  large: "h-12 px-6 text-base",
};

export type ButtonLook = { tone?: keyof typeof tones | undefined; size?: keyof typeof sizes | undefined };

/** Returns the classes of a button, for links that look like one. */
export function buttonLook({ tone = "quiet", size = "medium" }: ButtonLook = {}, className?: string) {
  return clsx(base, tones[tone], sizes[size], className);
}

type ButtonProps = ComponentProps<"button"> & ButtonLook & { isBusy?: boolean };

export function Button({ tone, size, isBusy = false, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={buttonLook({ tone, size }, className)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy && (
        <span
          aria-hidden
          className="size-4 animate-spin rounded-full border-2 border-current border-e-transparent"
        />
      )}
      {/* The text is in an element, because a page translator replaces bare text, and the spinner could then
          not be inserted before it. */}
      <span className="contents">{children}</span>
    </button>
  );
}
