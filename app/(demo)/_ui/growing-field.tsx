"use client";

import { clsx } from "clsx";
import { type ComponentPropsWithoutRef, type RefObject, useEffect, useLayoutEffect } from "react";

type GrowingFieldProps = ComponentPropsWithoutRef<"textarea"> & {
  ref: RefObject<HTMLTextAreaElement | null>;
};

/** A text field as tall as its text, up to the maximum height that its classes set. */
export function GrowingField({ ref, className, ...rest }: GrowingFieldProps) {
  useFittedHeight(ref);
  useSteadyPlace(ref);
  return (
    <textarea ref={ref} rows={1} className={clsx("field-sizing-content resize-none", className)} {...rest} />
  );
}

/** Fits the height of a field to its text in browsers that do not do so themselves. */
function useFittedHeight(field: RefObject<HTMLTextAreaElement | null>): void {
  useLayoutEffect(() => {
    if (CSS.supports("field-sizing", "content")) return;
    const grow = () => fitHeight(field.current);
    grow();
    window.addEventListener("resize", grow);
    return () => window.removeEventListener("resize", grow);
  });
}

/**
 * Holds the height of a field's place until the next frame while its text changes. Text that replaces other text is
 * inserted into an empty field, and a place that shrank for a moment would let the browser scroll the list above it.
 */
function useSteadyPlace(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    const hold = () => {
      const place = element.parentElement;
      if (!place) return;
      place.style.minHeight = `${place.offsetHeight}px`;
      requestAnimationFrame(() => {
        place.style.minHeight = "";
      });
    };
    element.addEventListener("beforeinput", hold);
    return () => element.removeEventListener("beforeinput", hold);
  }, [field]);
}

function fitHeight(field: HTMLTextAreaElement | null): void {
  const place = field?.parentElement;
  if (!place) return;
  // If the place shrank for a moment, the browser would scroll the list above it.
  place.style.minHeight = `${place.offsetHeight}px`;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  place.style.minHeight = "";
}
