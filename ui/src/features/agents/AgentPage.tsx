import { Page } from '@/components/page';

export default function AgentPage() {
  return <Page title="AgentPage">…</Page>;
}
