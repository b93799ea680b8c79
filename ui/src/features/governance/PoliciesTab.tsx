import { Page } from '@/components/page';

export default function PoliciesTab() {
  return <Page title="PoliciesTab">…</Page>;
}
