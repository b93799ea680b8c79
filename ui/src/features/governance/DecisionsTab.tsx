import { Page } from '@/components/page';

export default function DecisionsTab() {
  return <Page title="DecisionsTab">…</Page>;
}
