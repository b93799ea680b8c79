import { Page } from '@/components/page';

export default function NewAgentPage() {
  return <Page title="NewAgentPage">…</Page>;
}
