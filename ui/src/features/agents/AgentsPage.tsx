import { Page } from '@/components/page';

export default function AgentsPage() {
  return <Page title="AgentsPage">…</Page>;
}
