module oxherd.internal/conformance

go 1.26

require github.com/siderolabs/talos/pkg/machinery v1.14.1

// The versions that machinery v1.14.1 asks for are not all published; these build.
replace github.com/cosi-project/runtime => github.com/cosi-project/runtime v1.16.2

replace github.com/jsimonetti/rtnetlink/v2 => github.com/jsimonetti/rtnetlink/v2 v2.2.0
