import { Page } from '@/components/page';

export default function InfoTab() {
  return <Page title="InfoTab">…</Page>;
}
