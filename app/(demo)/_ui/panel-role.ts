/** What a panel is to those who do not see it: a part of the page, or where it covers the page a window. */
export const panelRole = (title: string, isCovering: boolean) => ({
  "aria-label": title,
  ...(isCovering ? ({ role: "dialog", "aria-modal": true } as const) : ({ role: "complementary" } as const)),
});
