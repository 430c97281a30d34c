import type { Page } from "playwright/test";

/** Records the page's notifications, because a browser without a desktop shows none. */
export async function watchNotifications(page: Page) {
  const shown: string[] = [];
  await page.exposeFunction("tellNotification", (title: string, body: string) => {
    shown.push(`${title}: ${body}`);
  });
  await page.addInitScript(() => {
    const tell = (window as unknown as { tellNotification(title: string, body: string): void })
      .tellNotification;
    class Shown {
      static permission = "default";
      static async requestPermission() {
        Shown.permission = "granted";
        return "granted";
      }
      constructor(title: string, { body }: { body: string }) {
        tell(title, body);
      }
      close() {}
    }
    Object.assign(window, { Notification: Shown });
  });
  return shown;
}
