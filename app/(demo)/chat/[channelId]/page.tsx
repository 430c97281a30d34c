import { ChannelView } from "../../_chat/channel/channel-view.tsx";

export default async function ChannelPage({ params }: { params: Promise<{ channelId: string }> }) {
  const { channelId } = await params;
  return <ChannelView channelId={channelId} />;
}
