import { clsx } from "clsx";
import { type ComponentProps, type ReactNode, useId } from "react";

type TextFieldProps = ComponentProps<"input"> & { label: string; hint?: string; error?: ReactNode };

/** An input with its label, hint and error associated for screen readers. */
export function TextField({ label, hint, error, className, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-hint` : undefined}
        className={clsx(
          "h-11 w-full rounded-lg border bg-raised px-3 text-base",
          error ? "border-danger" : "border-line-strong",
        )}
        {...rest}
      />
      {(error || hint) && (
        <p id={`${id}-hint`} className={clsx("mt-1.5 text-sm", error ? "text-danger" : "text-ink-soft")}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

/**
 * Matches a mouse, or no pointer at all. On a touch screen a focused field opens the keyboard over the
 * content.
 */
const KEYS = "(hover: hover) and (pointer: fine), (pointer: none)";

/** Returns whether a field may be focused automatically, because there is a keyboard. */
export const hasKeys = () => window.matchMedia(KEYS).matches;
