import { ChannelView } from "../../_chat/channel/channel-view.tsx";

/**
 * Seconds for which the router reuses this page. It depends on its address alone, so that a channel opened
 * before is shown without a request.
 */
// biome-ignore lint/style/useNamingConvention: Next reads this name
export const unstable_dynamicStaleTime = 86_400;

export default async function ChannelPage({ params }: { params: Promise<{ channelId: string }> }) {
  const { channelId } = await params;
  return <ChannelView channelId={channelId} />;
}
