package config

import "lbmsim/decomp"

func (c *Case) Hierarchy(ranks int) (*decomp.Hierarchy, error) {
	plan, err := c.Cut(ranks)
	if err != nil {
		return nil, err
	}
	return decomp.NewHierarchy(plan, c.Refine)
}

func (c *Case) Updates(h *decomp.Hierarchy) float64 { return 1 }
